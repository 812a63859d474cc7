# State of systemd units. Arguments: the units. After the properties comes for each unit that was ever started how many seconds
# ago that was.
set -u
for unit in "$@"; do
  printf 'unit %s\n' "$unit"
  shown=$(TZ=UTC systemctl show -p LoadState -p ActiveState -p ExecMainStartTimestamp -p ExecMainStartTimestampMonotonic \
    -p NRestarts -p MainPID -- "$unit" 2>&1)
  printf '%s\n' "$shown"
  # The monotonic clock of a host that slept can not be told from here; both of these are by the same clock.
  at=${shown#*ExecMainStartTimestamp=} at=${at%%$'\n'*}
  if [ -n "$at" ] && at=$(date -d "$at" +%s 2>/dev/null); then printf 'Age=%s\n' "$(($(date +%s) - at))"; fi
done
exit 0
