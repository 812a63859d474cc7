# Ends a job's whole process group: TERM, then KILL. Arguments: directory, patience (fiftieths of a second).
set -u
cd -- "$1" 2>/dev/null || { echo absent; exit 0; }
[ -e exit ] && { echo ended; exit 0; }
# It may have been started this very moment.
for ((i = 0; i < 10; i++)); do [ -e pid ] && break; sleep 0.05; done
[ -e pid ] || { echo unknown; exit 0; }
read -r supervisor pid start _ <pid
stat=$(cat "/proc/$pid/stat" 2>/dev/null)
set -- "$2" ${stat##*) }
# Another process by that number, or none: the group may still have members, but it is not safe to signal it.
if [ "$pid" != 0 ] && { [ -z "$stat" ] || [ "${21:-0}" = "$start" ]; }; then
  kill -TERM -- "-$pid" 2>/dev/null
  # When its leader has ended, its supervisor kills the others and says so.
  for ((i = 0; i < $1; i++)); do
    if [ -e exit ] || ! kill -0 -- "-$pid" 2>/dev/null; then break; fi
    sleep 0.02
  done
  kill -KILL -- "-$pid" 2>/dev/null
fi
for ((i = 0; i < 20; i++)); do [ -e exit ] && break; sleep 0.05; done
[ -e exit ] || { kill -KILL "$supervisor" 2>/dev/null; printf 'code 137\ntimed_out 0\nbegan 0\nended 0\n' >exit; }
echo stopped
