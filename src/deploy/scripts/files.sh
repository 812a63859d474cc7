# Lays files of the repository over a place outside deploy.dir, or takes that back. Arguments: apply or restore, where isugate
# keeps its files, the release's name, from, to, the run's id, the check (or empty).
#
# Kept below state/files/KEY: `laid` names what isugate has put there; `original/` holds what stood in the place of such a file
# before isugate first came; `runs/ID/` what this run replaced (`old/`) or made (`new`).
set -eu
mode=$1 state=$2 name=$3 from=$4 to=$5 run=$6 check=$7
key=$(printf '%s' "$to" | sha256sum | cut -c1-16)
store=$state/files/$key
undo=$store/runs/$run
laid() { [ -e "$store/laid" ] && cat -- "$store/laid"; return 0; }

replace() { # a file's new content, its place
  mkdir -p -- "$(dirname -- "$2")"
  local next=$2.isugate-next
  rm -f -- "$next"
  cp -a --no-preserve=ownership -- "$1" "$next"
  if [ -e "$2" ] && [ ! -L "$2" ]; then
    chown --reference="$2" -- "$next" 2>/dev/null || true
    chmod --reference="$2" -- "$next" 2>/dev/null || true
  fi
  mv -fT -- "$next" "$2"
}
remember() { # a file's path below `to`, its place: before it is changed
  if [ -e "$2" ] || [ -L "$2" ]; then
    mkdir -p -- "$(dirname -- "$undo/old/$1")"
    cp -a -- "$2" "$undo/old/$1"
  else
    printf '%s\0' "$1" >>"$undo/new"
  fi
}
restore() {
  [ -d "$undo" ] || return 0
  if [ -e "$undo/new" ]; then
    while IFS= read -r -d '' path; do rm -f -- "$(place "$path")"; done <"$undo/new"
  fi
  if [ -d "$undo/old" ]; then
    (cd -- "$undo/old" && find . \( -type f -o -type l \) -print0) |
      while IFS= read -r -d '' path; do
        path=${path#./}
        at=$(place "$path")
        rm -f -- "$at.isugate-next"
        cp -a -- "$undo/old/$path" "$at.isugate-next"
        mv -fT -- "$at.isugate-next" "$at"
      done
  fi
  if [ -e "$undo/laid.before" ]; then cp -a -- "$undo/laid.before" "$store/laid"; else rm -f -- "$store/laid"; fi
  rm -rf -- "$undo"
}

source=$state/releases/$name/$from
single=
if [ -e "$store/single" ]; then single=1; fi
if [ "$mode" = apply ]; then
  if [ -f "$source" ]; then
    single=1
  elif [ ! -d "$source" ]; then
    echo "$from is not in the commit" >&2
    exit 3
  fi
fi
place() { if [ -n "$single" ]; then printf '%s' "$to"; else printf '%s/%s' "${to%/}" "$1"; fi; }

if [ "$mode" = restore ]; then
  restore
  exit 0
fi

rm -rf -- "$undo"
mkdir -p -- "$undo" "$store/original"
[ -n "$single" ] && : >"$store/single"
[ -e "$store/laid" ] && cp -a -- "$store/laid" "$undo/laid.before"
if [ -n "$single" ]; then
  printf '%s\0' file >"$undo/wanted"
else
  (cd -- "$source" && find . \( -type f -o -type l \) -print0) | sed -z 's,^\./,,' | sort -z >"$undo/wanted"
fi
# A trap on ERR would not see what fails inside a function.
trap restore EXIT
changed=0
while IFS= read -r -d '' path; do
  at=$(place "$path")
  new=$source
  [ -n "$single" ] || new=$source/$path
  if ! laid | grep -qzFx -- "$path" && { [ -e "$at" ] || [ -L "$at" ]; }; then
    mkdir -p -- "$(dirname -- "$store/original/$path")"
    cp -a -- "$at" "$store/original/$path"
  fi
  if [ ! -L "$at" ] && [ ! -L "$new" ] && cmp -s -- "$new" "$at"; then continue; fi
  remember "$path" "$at"
  replace "$new" "$at"
  changed=$((changed + 1))
done <"$undo/wanted"
# What an earlier commit had laid and this one does not hold goes back to what stood there before isugate.
laid | while IFS= read -r -d '' path; do
  grep -qzFx -- "$path" "$undo/wanted" && continue
  at=$(place "$path")
  remember "$path" "$at"
  if [ -e "$store/original/$path" ] || [ -L "$store/original/$path" ]; then
    replace "$store/original/$path" "$at"
  else
    rm -f -- "$at"
  fi
done
cp -- "$undo/wanted" "$store/laid"
if [ -n "$check" ] && ! said=$(bash -c "$check" 2>&1); then
  printf '%s\n' "$said" >&2
  exit 9
fi
trap - EXIT
# Older runs' backups are of no more use.
find "$store/runs" -mindepth 1 -maxdepth 1 ! -name "$run" -exec rm -rf -- {} +
printf 'changed %s\n' "$changed"
