#!/usr/bin/env bash
# The way of a run as a plain script does it: ssh, git push, scp and curl, one after the other, with the effects that a run of
# isugate has on the host. What `run` in this folder measures isugate against.
#
#   plain.sh SSH_CONFIG REPOSITORY COMMIT DIR ADMIN_PORT APP_PORT OUT
#
# DIR is the deployed directory on the host `app1`; OUT the folder here that result and snapshot come to.
set -euo pipefail
config=$1 repo=$2 commit=$3 dir=$4 admin=$5 app=$6 out=$7
state=$dir.plain
run=run-$(date +%s%N)
on_host() { ssh -F "$config" app1 "$@"; }
mkdir -p "$out/$run"

# push, unless it is there
on_host "[ -d $state/repo.git ] || git init -q --bare $state/repo.git; mkdir -p $state/releases $state/runs/$run"
GIT_SSH_COMMAND="ssh -F $config" git -C "$repo" push -q "ssh://app1$state/repo.git" "$commit:refs/heads/r-$commit"
# checkout
on_host "[ -d $state/releases/$commit ] || { mkdir $state/releases/$commit.new && git --git-dir=$state/repo.git --work-tree=$state/releases/$commit.new checkout -qf $commit -- . && mv $state/releases/$commit.new $state/releases/$commit; }"
# build
on_host "cd $state/releases/$commit && { [ -e app/bin/chairs ] || ./build; }"
# switch
on_host "ln -sfn $state/releases/$commit $dir.next && mv -T $dir.next $dir"
# restart
on_host "cd $dir && app/service restart" >/dev/null
# ready
on_host "until curl -sf -o /dev/null http://127.0.0.1:$app/healthz; do sleep 0.05; done"
# isutools
on_host "curl -sf -X POST -o /dev/null http://127.0.0.1:$admin/reset"
# benchmark, its output in a file, then brought here
on_host "cd $state/runs/$run && $BENCH >stdout 2>stderr </dev/null"
scp -q -F "$config" "app1:$state/runs/$run/std*" "$out/$run/"
# parse
read -r pass score < <(python3 -c '
import json, sys
result = json.loads(open(sys.argv[1]).read())
print("true" if result["pass"] else "false", result["score"])' "$out/$run/stdout")
# save
snapshot=$(on_host "curl -sf -X POST 'http://127.0.0.1:$admin/save?score=$score&pass=$pass'" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["snapshot_file"])')
scp -q -F "$config" "app1:$DATA/$snapshot" "$out/$run/"
printf '%s pass=%s score=%s\n' "$commit" "$pass" "$score" >>"$out/results"
