# Small files in one answer. Arguments: bytes that they may have all together, then the paths. A line for each: `missing`,
# `other` (large, no plain file, or out of our reach), or `bytes N` with that many bytes after it.
set -u
left=$1
shift
for path in "$@"; do
  if [ ! -e "$path" ] && [ -x "$(dirname -- "$path")" ]; then
    echo missing
  elif [ -f "$path" ] && [ -r "$path" ] && size=$(stat -L -c %s -- "$path") && [ "$size" -le "$left" ]; then
    left=$((left - size))
    printf 'bytes %s\n' "$size"
    head -c "$size" -- "$path"
  else
    echo other
  fi
done
exit 0
