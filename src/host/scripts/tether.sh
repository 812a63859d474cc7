# Runs a command line for as long as somebody holds our standard input open: when the connection or its other end goes away,
# the command's process group ends. What it has left in the background when it ends by itself stays. Argument: the line.
set -u
exec 3<&0
setsid bash -c "$1" </dev/null 3<&- &
pid=$!
setsid bash -c 'cat >/dev/null; kill -TERM -- "-$0"; sleep 0.5; kill -KILL -- "-$0"' "$pid" <&3 >/dev/null 2>&1 &
dog=$!
disown "$dog"
exec 3<&-
wait "$pid"
code=$?
kill -KILL -- "-$dog" 2>/dev/null
exit "$code"
