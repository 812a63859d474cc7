# Why units do not run: the last journal lines of those that are not active or were started again by systemd. Arguments: the
# units.
set -u
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
for unit in "$@"; do
  shown=$(systemctl show -p ActiveState -p NRestarts -- "$unit")
  case $shown in *NRestarts=[1-9]*) ;; *ActiveState=active*) continue ;; esac
  printf '%s is %s\n' "$unit" "$(systemctl is-active -- "$unit")"
  as_root journalctl --no-pager -q -o cat -n 8 -u "$unit" 2>/dev/null
done
exit 0
