# State of systemd units. Arguments: the units.
set -u
printf 'uptime %s\n' "$(cut -d' ' -f1 /proc/uptime)"
for unit in "$@"; do
  printf 'unit %s\n' "$unit"
  systemctl show -p LoadState -p ActiveState -p ExecMainStartTimestampMonotonic -p NRestarts -p MainPID -- "$unit" 2>&1
done
exit 0
