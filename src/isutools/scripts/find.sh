# Names of snapshots that hold a run id. Arguments: the data directory, the run id.
cd -- "$1" || exit 1
shopt -s nullglob
for file in [0-9]*_gen*.json; do
  case $file in *.profile.*) continue ;; esac
  grep -qF -- "\"$2\"" "$file" && printf '%s\n' "$file"
done
exit 0
