# Starts a detached job. Arguments: directory, limit (s), grace (s), working directory, report descriptor (0 or 1),
# the supervisor's script, the command line, then NAME=VALUE for its environment.
set -u
dir=$1 limit=$2 grace=$3 cwd=$4 report=$5 supervise=$6 line=$7
shift 7
mkdir -p -- "$dir" || exit 71
if ! mkdir -- "$dir/started" 2>/dev/null; then
  echo "a job was started in $dir before" >&2
  exit 72
fi
command -v setsid >/dev/null || { echo "setsid (util-linux) is missing on this host" >&2; exit 73; }
setsid -f bash -c "$supervise" isugate-job "$dir" "$limit" "$grace" "$cwd" "$report" "$line" "$@" \
  </dev/null >/dev/null 2>>"$dir/supervisor.log" || exit 74
