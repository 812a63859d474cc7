# Opens a run in one go: drops what is open, sees whether a snapshot could be written, resets. Ends at the first answer that is
# not the usual one. Arguments: the script of one request, address, port, Host header. For each answer a line with its length
# in bytes, then the answer.
set -u
http=$1 address=$2 port=$3 authority=$4
LC_ALL=C
ask() { # path, seconds, the usual status
  local answer
  # The dot keeps newlines at its end.
  answer=$(
    bash -c "$http" isugate POST "$address" "$port" "$authority" "$1" "$2" 2>/dev/null
    printf .
  )
  answer=${answer%.}
  printf '%s\n%s' "${#answer}" "$answer"
  [[ $answer == "HTTP/1."[01]" $3 "* ]]
}
ask /abort 15 204 && ask /save 30 409 && ask /reset 60 204
exit 0
