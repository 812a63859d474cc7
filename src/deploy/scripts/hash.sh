# SHA-256 of what the build made in a release. Arguments: where isugate keeps its files, the commit, how many files are
# listed one by one, the recipe that it was built by just now (or empty), then the paths to hash (none: everything that the
# commit does not hold).
set -eu -o pipefail
state=$1 commit=$2 most=$3 recipe=$4
shift 4
release=$state/releases/$commit
cd -- "$release"
if [ -n "$recipe" ]; then printf %s "$recipe" >"$release.built"; fi
list() {
  if [ "$#" -gt 0 ]; then
    for path in "$@"; do
      [ -e "$path" ] || { echo "$path was not built" >&2; exit 3; }
      find "./$path" -type f -print0
    done
  else
    GIT_INDEX_FILE=$release.index git --git-dir="$state/repo.git" --work-tree="$release" ls-files -z --others --modified |
      while IFS= read -r -d '' path; do
        if [ -f "$path" ] && [ ! -L "$path" ]; then printf '%s\0' "$path"; fi
      done
  fi
}
list "$@" | sort -z -u | xargs -0 -r sha256sum -z -- | {
  mapfile -d '' -t sums
  if [ "${#sums[@]}" -eq 0 ]; then exit 0; fi
  if [ "${#sums[@]}" -le "$most" ]; then
    printf '%s\0' "${sums[@]}"
  else
    printf '%s  (%s files)\0' "$(printf '%s\0' "${sums[@]}" | sha256sum | cut -d' ' -f1)" "${#sums[@]}"
  fi
}
