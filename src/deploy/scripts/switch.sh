# Makes a release the running one. Arguments: where isugate keeps its files, deploy.dir, the release's name, then the shared
# paths. Prints what ran before.
set -eu
state=$1 dir=$2 name=$3
shift 3
target=$state/releases/$name
[ -d "$target" ] || { echo "the release $name is not on this host" >&2; exit 3; }
if [ -L "$dir" ]; then
  before=$(readlink -- "$dir")
elif [ -d "$dir" ]; then
  # The directory that was there before isugate: kept whole, and its shared paths copied once.
  for path in "$@"; do
    if [ -e "$dir/$path" ] && [ ! -e "$state/shared/$path" ]; then
      mkdir -p -- "$(dirname -- "$state/shared/$path")"
      cp -a -- "$dir/$path" "$state/shared/$path"
    fi
  done
  before=$state/releases/original
  mkdir -p -- "$state/releases"
  mv -T -- "$dir" "$before"
else
  before=
fi
rm -f -- "$dir.isugate-next"
ln -s -- "$target" "$dir.isugate-next"
if ! mv -T -- "$dir.isugate-next" "$dir"; then
  [ "$before" = "$state/releases/original" ] && [ ! -e "$dir" ] && mv -T -- "$before" "$dir"
  exit 4
fi
case $before in
  "$state"/releases/*) printf 'before %s\n' "${before#"$state"/releases/}" ;;
  '') echo 'before none' ;;
  *) printf 'elsewhere %s\n' "$before" ;;
esac
