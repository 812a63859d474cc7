# One HTTP request from the host itself. Arguments: method, address, port, Host header, path, seconds.
# The connection stays open in both directions until the whole answer is there: isutools ruins the artifact of a /save whose
# client closes its sending side while it waits. HTTP/1.0 keeps the answer in one piece.
exec timeout "$6" bash -c '
  exec 3<>"/dev/tcp/$1/$2" || exit 7
  printf "%s %s HTTP/1.0\r\nHost: %s\r\nUser-Agent: isugate\r\n" "$0" "$4" "$3" >&3
  [ "$0" = GET ] || printf "Content-Length: 0\r\n" >&3
  printf "\r\n" >&3
  cat <&3
' "$1" "$2" "$3" "$4" "$5"
