# Who holds this host. Arguments: acquire, renew, release, break or show; where isugate keeps its files; then the token,
# seconds, holder, reason and run of acquire; token and seconds of renew; token of release.
set -u
mode=$1 state=$2
shift 2
file=$state/lease
mkdir -p -- "$state" || exit 71
exec 8>>"$state/lease.lock" || exit 71
flock -w 10 8 || { echo 'the lease file is locked by another process' >&2; exit 75; }
now=$(date +%s)
token= until=0
if [ -s "$file" ]; then
  token=$(sed -n 's/^token //p' "$file")
  until=$(sed -n 's/^until //p' "$file")
fi
write() { # token, seconds, then the lines that describe it
  {
    printf 'token %s\nuntil %s\n' "$1" "$((now + $2))"
    cat
  } >"$file.tmp" && mv -f -- "$file.tmp" "$file"
}
held() { [ -n "$token" ] && [ "${until:-0}" -gt "$now" ]; }
case $mode in
  acquire)
    if held && [ "$token" != "$1" ]; then
      printf 'now %s\n' "$now"
      cat -- "$file"
      exit 13
    fi
    printf 'since %s\nholder %s\nreason %s\nrun %s\n' "$now" "$3" "$4" "$5" | write "$1" "$2" || exit 71
    ;;
  renew)
    if [ "$token" != "$1" ]; then
      printf 'now %s\n' "$now"
      [ -s "$file" ] && cat -- "$file"
      exit 14
    fi
    sed '/^token /d; /^until /d' "$file" | write "$1" "$2" || exit 71
    ;;
  release) [ "$token" = "$1" ] && rm -f -- "$file" ;;
  break) rm -f -- "$file" ;;
  show)
    if held; then
      printf 'now %s\n' "$now"
      cat -- "$file"
    fi
    ;;
esac
exit 0
