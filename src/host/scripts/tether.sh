# Runs a command line for as long as somebody holds our standard input open: when the connection or its other end goes away,
# the command's process group ends. What it has left in the background when it ends by itself stays. Argument: the line.
set -u -m
bash -c "$1" </dev/null &
pid=$!
(
  cat >/dev/null
  kill -TERM -- "-$pid"
  sleep 0.5
  kill -KILL -- "-$pid"
) <&0 >/dev/null 2>&1 &
dog=$!
wait "$pid"
code=$?
kill -KILL -- "-$dog" 2>/dev/null
exit "$code"
