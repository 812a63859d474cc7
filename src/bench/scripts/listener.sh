# Who listens on TCP ports. Arguments: the benchmarker's process group, then the ports. Prints for each port: own, other
# (with the process) or none. Runs beside the benchmark: few processes, whatever the number of open files.
set -u
group=$1
shift
listening() { # the sockets that listen on a port
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v p=":$(printf '%04X' "$1")" '$4 == "0A" && $2 ~ p "$" { print $10 }'
}
for port in "$@"; do
  inodes=$(listening "$port")
  if [ -z "$inodes" ]; then printf '%s none\n' "$port"; continue; fi
  owner=other who='a process of another user'
  for inode in $inodes; do
    while IFS= read -r fd; do
      pid=${fd#/proc/} pid=${pid%%/*}
      read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
      # shellcheck disable=SC2206 # fields are meant
      fields=(${stat##*) })
      read -r name 2>/dev/null <"/proc/$pid/comm" || name=
      who="process $pid ($name)"
      [ "${fields[2]:-}" = "$group" ] && owner=own && break 2
    done < <(find /proc/[0-9]*/fd -maxdepth 1 -lname "socket:\[$inode\]" 2>/dev/null)
  done
  # A benchmarker that ends while we look takes its socket along: then nobody holds it.
  if [ "$owner" = other ] && ! listening "$port" | grep -qxF -- "$inodes"; then
    printf '%s none\n' "$port"
    continue
  fi
  printf '%s %s %s\n' "$port" "$owner" "$who"
done
exit 0
