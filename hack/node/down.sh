#!/usr/bin/env bash
# Ends the one-node cluster: processes, mounts, network, cgroups, machine settings, state.
#   --keep  leaves etcd, keys, volumes and images for the next up.sh: a node that was switched off
#   --stop  keeps the files, to find out what went wrong
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=hack/node/settings.sh
. "$here/settings.sh"
mode=${1:-}
[ -d "$E2E_STATE" ] || exit 0

# First, so that even after a crash of this script the kept state is not removed as remains of a crash.
[ "$mode" != --keep ] || touch "$E2E_STATE/kept"

# A zombie (ended, exit code not read yet) does not run.
runs() { grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }

# The death of the first process of a pid namespace ends all others in it, pods too, and frees the mounts.
if pid=$(holder); then
  kill -KILL "$pid"
  # A process that waits for the disk ends when that has answered.
  for _ in $(seq 600); do
    runs "$pid" || break
    sleep 0.1
  done
  ! runs "$pid" || {
    say "process $pid was killed and has not ended within 60 s: does the disk stand still?"
    exit 1
  }
fi
rm -f "$E2E_STATE/holder.pid" "$E2E_STATE/up"

remove_cgroup() {
  for _ in $(seq 600); do
    find "$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [ -d "$1" ] || return 0
    sleep 0.1
  done
  say "left behind, because a process is still in it: $1"
  return 1
}
status=0
while read -r folder; do
  [ ! -d "$folder" ] || remove_cgroup "$folder" || status=1
done < <(cgroup_folders)

# Before the state goes: without it the next call would take this for done.
with_machine_settings restore_machine_settings
case $mode in
  --keep)
    # The network namespace stays, for processes that run in it across the reboot, but it is emptied.
    if mountpoint -q "$NETNS"; then
      nsenter "--net=$NETNS" nft flush ruleset
      nsenter "--net=$NETNS" ip link del node0 2>/dev/null || true
    fi
    ;;
  *)
    ! mountpoint -q "$NETNS" || umount "$NETNS"
    [ "$mode" = --stop ] || rm -rf --one-file-system "$E2E_STATE"
    ;;
esac
exit $status
