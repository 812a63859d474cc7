# $1 directory, $2 archive's URL, $3 its SHA-256, $4 version, $5 repository's URL, $6 runner's name, $7 labels.
# Standard input: the registration token, so that it is in no process list.
set -euo pipefail
dir=${1/#\~/$HOME} url=$2 sum=$3 version=$4 repository=$5 name=$6 labels=$7
IFS= read -r token || [ -n "$token" ]
umask 077
mkdir -p "$dir"
cd "$dir"
have=none
if [ -x bin/Runner.Listener ]; then have=$(bin/Runner.Listener --version 2>/dev/null || echo none); fi
if [ "$have" != "$version" ]; then
  curl -fsSL --retry 3 --max-time 600 -o new.tar.gz -- "$url"
  if ! echo "$sum  new.tar.gz" | sha256sum -c --quiet --status; then
    rm -f new.tar.gz
    echo "the archive has another SHA-256 than GitHub says" >&2
    exit 1
  fi
  if [ -e .service ]; then sudo -n ./svc.sh stop >/dev/null; fi
  tar -xzf new.tar.gz --no-same-owner
  rm -f new.tar.gz
fi
if [ ! -e .runner ]; then
  # The runner takes each of its arguments from a variable of this form too.
  ACTIONS_RUNNER_INPUT_TOKEN=$token ./config.sh --unattended --replace --url "$repository" --name "$name" --labels "$labels" >&2
fi
if [ ! -e .service ]; then sudo -n ./svc.sh install "$(id -un)" >&2; fi
sudo -n ./svc.sh start >&2
sudo -n ./svc.sh status >&2
