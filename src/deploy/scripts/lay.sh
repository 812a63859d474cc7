# Lays a commit's tree out beside the running one. Arguments: where isugate keeps its files, the commit, then the shared paths.
set -eu
state=$1 commit=$2
shift 2
release=$state/releases/$commit
if [ -e "$release.laid" ] && [ -d "$release" ]; then
  echo 'laid before'
  if [ -e "$release.built" ]; then printf 'built %s\n' "$(cat -- "$release.built")"; fi
  exit 0
fi
rm -rf -- "$release" "$release.laying" "$release.index" "$release.built"
mkdir -p -- "$release.laying" "$state/shared"
export GIT_INDEX_FILE=$release.index
git --git-dir="$state/repo.git" --work-tree="$release.laying" -c core.autocrlf=false -c advice.detachedHead=false \
  read-tree --reset -u "$commit"
for path in "$@"; do
  mkdir -p -- "$(dirname -- "$release.laying/$path")"
  rm -rf -- "$release.laying/$path"
  ln -s -- "$state/shared/$path" "$release.laying/$path"
done
mv -T -- "$release.laying" "$release"
: >"$release.laid"
echo 'laid now'
