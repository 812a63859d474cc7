# Runs one command line in a process group of its own, with its output in files, up to a wall-clock limit, and writes how it
# ended. It outlives the connection that started it.
set -u -m
dir=$1 limit=$2 grace=$3 cwd=$4 report=$5 line=$6
shift 6
trap '' HUP INT
began=$(date +%s%N)
# The start time of a process (field 22 of stat) tells it from a later one with the same number.
start_time() {
  local stat fields
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || { echo 0; return; }
  read -r -a fields <<<"${stat##*) }"
  echo "${fields[19]}"
}
since=$(start_time "$$")
# Its place on the disk is taken now: what runs may fill the disk, and how it ended must be said all the same.
printf '%160s\n' '' >"$dir/exit.tmp"
finish() { # code, timed out
  local text
  text=$(printf 'code %s\ntimed_out %s\nbegan %s\nended %s' "$1" "$2" "$began" "$(date +%s%N)")
  printf '%s\npad %*s\n' "$text" "$((155 - ${#text}))" '' 1<>"$dir/exit.tmp" && mv -f -- "$dir/exit.tmp" "$dir/exit"
}
: >"$dir/stdout"
: >"$dir/stderr"
if ! cd -- "$cwd" 2>>"$dir/stderr"; then
  printf '%s 0 0 %s %s\n' "$$" "$began" "$since" >"$dir/pid"
  finish 126 0
  exit
fi
if [ "$report" = 1 ]; then
  exec 9>"$dir/report_fd"
  export ISUXBENCH_REPORT_FD=9
fi
env -- ISUGATE_JOB=1 "$@" bash -c "$line" </dev/null >>"$dir/stdout" 2>>"$dir/stderr" &
pid=$!
if [ "$report" = 1 ]; then exec 9>&-; fi
printf '%s %s %s %s %s\n' "$$" "$pid" "$(start_time "$pid")" "$began" "$since" >"$dir/pid.tmp"
mv -f -- "$dir/pid.tmp" "$dir/pid"
(
  sleep "$limit"
  : >"$dir/timed-out"
  kill -TERM -- "-$pid"
  sleep "$grace"
  kill -KILL -- "-$pid"
) 2>/dev/null &
dog=$!
wait "$pid"
code=$?
kill -KILL -- "-$dog" 2>/dev/null
# What it left running in its group would disturb the next run.
kill -KILL -- "-$pid" 2>/dev/null
if [ -e "$dir/timed-out" ]; then finish "$code" 1; else finish "$code" 0; fi
