# Waits until something answers. Arguments: tcp, http or run; seconds; then address and port (tcp), or address, port, Host
# header, path and status (http), or the command line (run).
set -u
kind=$1 within=$2
shift 2
deadline=$(($(date +%s%N) + within * 1000000))
last='nothing was tried'
attempt() {
  case $kind in
    tcp) last=$(timeout 2 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>&1) ;;
    http)
      local line
      line=$(timeout 5 bash -c '
        exec 3<>"/dev/tcp/$0/$1" || exit 1
        printf "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nUser-Agent: isugate\r\n\r\n" "$3" "$2" >&3
        IFS= read -r line <&3 && printf "%s" "${line%$'"'\\r'"'}"' "$1" "$2" "$3" "$4" 2>&1)
      last="it answered: ${line:-nothing}"
      case $line in "HTTP/1."?" $5"*) return 0 ;; *) return 1 ;; esac
      ;;
    https)
      last=$(curl -sk -o - -w '%{http_code}' --max-time 5 -- "$1" 2>&1 | tail -c 3)
      [ "$last" = "$2" ] && return 0
      last="it answered: $last"
      return 1
      ;;
    run) last=$(timeout 30 bash -c "$1" 2>&1) ;;
  esac
}
while :; do
  attempt "$@" && exit 0
  [ "$(date +%s%N)" -ge "$deadline" ] && break
  sleep 0.05
done
printf '%s\n' "$last" | tail -n 3 >&2
exit 1
