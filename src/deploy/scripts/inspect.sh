# What a host is like before a run. Arguments: where isugate keeps its files (empty: ~/.isugate), deploy.dir (or empty),
# the commit, then the programs that must be there.
set -u
state=$1 dir=$2 commit=$3
shift 3
[ -n "$state" ] || state=$HOME/.isugate
case $state in "~/"*) state=$HOME/${state#"~/"} ;; esac
printf 'uid %s\nuser %s\nstate %s\n' "$(id -u)" "$(id -un)" "$state"
for tool in setsid flock sha256sum stat tail "$@"; do
  command -v "$tool" >/dev/null 2>&1 || printf 'missing %s\n' "$tool"
done
if ! mkdir -p -- "$state" 2>/dev/null || [ ! -w "$state" ]; then
  printf 'unwritable %s\n' "$state"
else
  printf 'free_kb %s\n' "$(df -Pk -- "$state" | awk 'NR == 2 { print $4 }')"
fi
if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then echo 'root yes'; else echo 'root no'; fi
if [ -n "$dir" ]; then
  if [ -L "$dir" ]; then
    target=$(readlink -- "$dir")
    case $target in
      "$state"/releases/*) printf 'current %s\n' "${target#"$state"/releases/}" ;;
      *) printf 'elsewhere %s\n' "$target" ;;
    esac
  elif [ -d "$dir" ]; then
    echo 'current unmanaged'
  elif [ -e "$dir" ]; then
    printf 'odd %s\n' "$dir"
  else
    echo 'current none'
    parent=$(dirname -- "$dir")
    [ -d "$parent" ] && [ -w "$parent" ] || printf 'unwritable %s\n' "$parent"
  fi
  if git --git-dir="$state/repo.git" cat-file -e "$commit^{commit}" 2>/dev/null; then echo 'has yes'; else echo 'has no'; fi
  if [ -e "$state/repo.git/isugate-ready" ] && [ -d "$state/repo.git/objects" ]; then echo 'repo ready'; fi
fi
exit 0
