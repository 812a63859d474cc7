# Who listens on TCP ports. Arguments: the benchmarker's process group, then the ports. Prints for each port: own, other
# (with the process) or none.
set -u
group=$1
shift
for port in "$@"; do
  hex=$(printf '%04X' "$port")
  inodes=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v p=":$hex" '$4 == "0A" && $2 ~ p "$" { print $10 }')
  if [ -z "$inodes" ]; then printf '%s none\n' "$port"; continue; fi
  owner=other who='a process of another user'
  for fd in /proc/[0-9]*/fd/*; do
    link=$(readlink -- "$fd" 2>/dev/null) || continue
    for inode in $inodes; do
      if [ "$link" = "socket:[$inode]" ]; then
        pid=${fd#/proc/} pid=${pid%%/*}
        stat=$(cat "/proc/$pid/stat" 2>/dev/null)
        # shellcheck disable=SC2086 # fields are meant
        set -- "$@" && fields=(${stat##*) })
        who="process $pid ($(cat "/proc/$pid/comm" 2>/dev/null))"
        [ "${fields[2]:-}" = "$group" ] && owner=own
        break 2
      fi
    done
  done
  printf '%s %s %s\n' "$port" "$owner" "$who"
done
exit 0
