# Tells a job's state and what its output files hold beyond two offsets. Waits until it has ended, or there is output, or
# the time is up. Arguments: directory, offset in stdout, offset in stderr, rounds, pause (s), bytes at most.
set -u
cd -- "$1" 2>/dev/null || { echo "state absent"; exit 0; }
out=$2 err=$3 rounds=$4 pause=$5 most=$6
# A process that has ended but was not reaped has not gone on. After a restart of the host another one may have its number;
# that one has another start time (field 22 of stat).
alive() { # pid, start time
  local stat fields
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  read -r -a fields <<<"${stat##*) }"
  [ "${fields[0]}" != Z ] && [ "${fields[19]}" = "$2" ]
}
state=running
for ((i = 0; ; i++)); do
  if [ -e exit ]; then state=ended; break; fi
  if [ -e pid ]; then
    read -r supervisor _ _ _ since <pid
    if ! alive "$supervisor" "$since"; then
      [ -e exit ] && state=ended || state=lost
      break
    fi
    [ "$i" -ge 4 ] && { [ -s stdout ] || [ -s stderr ]; } &&
      [ "$(stat -c %s stdout)" -gt "$out" ] && break
  fi
  [ "$i" -ge "$rounds" ] && break
  sleep "$pause"
done
o=$(stat -c %s stdout 2>/dev/null || echo 0)
e=$(stat -c %s stderr 2>/dev/null || echo 0)
n=$((o - out > most ? most : o - out))
m=$((e - err > most ? most : e - err))
[ "$n" -lt 0 ] && n=0
[ "$m" -lt 0 ] && m=0
printf 'state %s\nnow %s\nstdout %s %s\nstderr %s %s\n' "$state" "$(date +%s%N)" "$o" "$n" "$e" "$m"
if [ -e pid ]; then printf 'pid %s\n' "$(cat pid)"; fi
if [ "$state" = ended ]; then cat exit; fi
echo
[ "$n" -gt 0 ] && tail -c "+$((out + 1))" stdout | head -c "$n"
[ "$m" -gt 0 ] && tail -c "+$((err + 1))" stderr | head -c "$m"
exit 0
