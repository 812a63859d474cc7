# Restarts one unit and waits until systemd says that it is active. Argument: the unit.
# Exit status 5: systemd knows no such unit.
set -u
unit=$1
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
properties=$(systemctl show -p LoadState -p NeedDaemonReload -- "$unit")
case $properties in *LoadState=not-found*) exit 5 ;; esac
# Its file may have come with this commit.
case $properties in *NeedDaemonReload=yes*) as_root systemctl daemon-reload ;; esac
if ! said=$(as_root systemctl restart -- "$unit" 2>&1); then
  printf '%s\n' "$said" >&2
  as_root journalctl --no-pager -q -n 20 -u "$unit" >&2 2>/dev/null
  exit 1
fi
# A unit of type `simple` is active before its program has had a chance to fail.
sleep 0.1
state=$(systemctl is-active -- "$unit")
if [ "$state" != active ]; then
  echo "$unit is $state after the restart" >&2
  as_root journalctl --no-pager -q -n 20 -u "$unit" >&2 2>/dev/null
  exit 1
fi
