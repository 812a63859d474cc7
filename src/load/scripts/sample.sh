# Samples a host's CPU while the benchmark runs: whose it was. Arguments: pause (s), samples at most, deploy.dir (or -), isugate's
# directory, then names that belong: `unit NAME` or `name COMM`.
#
# A line per sample: seconds since 1970, length (s), share of all CPU time that was foreign, share stolen, then the foreign
# process that took most (share, pid, name). Own is: isugate's own jobs and sessions, what runs in or from deploy.dir, the named units
# and names. Kernel threads are nobody's.
set -u
pause=$1 most=$2 dir=$3 state=$4
shift 4
units=' ' names=' '
while [ "$#" -ge 2 ]; do
  case $1 in
    unit) units="$units$2 " ;;
    name) names="$names$2 " ;;
  esac
  shift 2
done
[ "$dir" = - ] || real=$(readlink -f -- "$dir" 2>/dev/null || printf '%s' "$dir")
declare -A owner=()

belongs() { # pid, comm, start time: sets `own`
  local key=$1.$3 cgroup unit at
  own=${owner[$key]:-}
  [ -n "$own" ] && return
  own=foreign
  case $names in *" $2 "*) own=own ;; esac
  case $2 in sshd | sshd-session | systemd-journal) own=own ;; esac
  if [ "$own" = foreign ]; then
    cgroup=$(cat "/proc/$1/cgroup" 2>/dev/null)
    for unit in $units; do
      case $cgroup in */"$unit"* | */"${unit%.service}.service"*) own=own ;; esac
    done
  fi
  if [ "$own" = foreign ]; then
    for at in cwd exe; do
      at=$(readlink -- "/proc/$1/$at" 2>/dev/null)
      case $at in
        "$state"/*) own=own ;;
        "$dir"/* | "$dir" | "${real:-//}"/* | "${real:-//}") own=own ;;
      esac
    done
  fi
  if [ "$own" = foreign ]; then
    # Children of our jobs and of our restarts, wherever they went to: we marked their environment.
    tr '\0' '\n' <"/proc/$1/environ" 2>/dev/null | grep -q '^ISUGATE_' && own=own
  fi
  owner[$key]=$own
}

snapshot() {
  # pid, comm, ppid, ticks, start time of every process; then the machine's own line.
  cat /proc/[0-9]*/stat 2>/dev/null | awk '{
    open = index($0, "("); close_at = 0
    for (i = length($0); i > 0; i--) if (substr($0, i, 1) == ")") { close_at = i; break }
    comm = substr($0, open + 1, close_at - open - 1); gsub(/[^A-Za-z0-9_.:\/-]/, "_", comm)
    n = split(substr($0, close_at + 2), f, " ")
    print substr($0, 1, open - 2), comm, f[2], f[12] + f[13], f[20]
  }'
}
declare -A before=()
total0=
for ((n = 0; n <= most; n++)); do
  read -r _ user nice system idle iowait irq softirq steal _ </proc/stat
  total=$((user + nice + system + idle + iowait + irq + softirq + steal))
  now=$(date +%s.%N)
  foreign=0 heaviest=0 who='- -'
  declare -A after=()
  while read -r pid comm ppid ticks start; do
    after[$pid.$start]=$ticks
    [ "$ppid" = 2 ] && continue
    [ -n "$total0" ] || continue
    used=$((ticks - ${before[$pid.$start]:-0}))
    # Less than half a per cent of the interval is not worth looking at.
    [ $((used * 200)) -gt $((total - total0)) ] || continue
    belongs "$pid" "$comm" "$start"
    [ "$own" = own ] && continue
    foreign=$((foreign + used))
    if [ "$used" -gt "$heaviest" ]; then heaviest=$used who="$pid $comm"; fi
  done < <(snapshot)
  if [ -n "$total0" ] && [ "$total" -gt "$total0" ]; then
    awk -v a="$now" -v b="$then" -v t=$((total - total0)) -v f="$foreign" -v s=$((steal - steal0)) -v h="$heaviest" -v w="$who" \
      'BEGIN { printf "%.3f %.3f %.4f %.4f %.4f %s\n", a, a - b, f / t, s / t, h / t, w }'
  fi
  unset before
  declare -A before=()
  for key in "${!after[@]}"; do before[$key]=${after[$key]}; done
  total0=$total steal0=$steal then=$now
  [ "$n" -lt "$most" ] && sleep "$pause"
done
