# Makes the host's own repository ready to be pushed to. Argument: where isugate keeps its files.
set -eu
repo=$1/repo.git
mkdir -p -- "$1/releases" "$1/shared" "$1/files" "$1/runs"
[ -d "$repo/objects" ] || git init -q --bare "$repo"
# A runner's checkout may be shallow.
git --git-dir="$repo" config receive.shallowUpdate true
git --git-dir="$repo" config gc.auto 0
# Read by inspect.sh: all of this was done.
: >"$repo/isugate-ready"
