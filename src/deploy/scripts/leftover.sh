# What an unmanaged directory holds that a new release would not: it would vanish from the application's sight. Arguments:
# where isugate keeps its files, the commit, deploy.dir, number of shared paths, those paths, then patterns to leave behind.
set -u
state=$1 commit=$2 dir=$3 shared=$4
shift 4
release=$state/releases/$commit
GIT_INDEX_FILE=$release.index git --git-dir="$state/repo.git" --work-tree="$dir" \
  ls-files -z --others --directory --no-empty-directory |
  while IFS= read -r -d '' path; do
    path=${path%/}
    case $path in .git | .git/* | *.isugate | .isugate | .isugate/*) continue ;; esac
    [ -e "$release/$path" ] && continue
    skip= i=0
    for known in "$@"; do
      i=$((i + 1))
      if [ "$i" -le "$shared" ]; then
        case $path in "$known" | "$known"/*) skip=1 ;; esac
      else
        # shellcheck disable=SC2254 # a pattern is meant here
        case $path in $known) skip=1 ;; esac
      fi
    done
    [ -n "$skip" ] || printf '%s\0' "$path"
  done
