# Names, addresses and small tools of the one-node cluster; sourced by up.sh and down.sh.
# shellcheck shell=bash disable=SC2034

: "${E2E_NAME:?the name of the cluster}" "${E2E_STATE:?the folder of its state}"
NODE=$E2E_NAME-node
BIN=$E2E_STATE/bin
PKI=$E2E_STATE/pki
CONFIG=$E2E_STATE/etc
LOGS=$E2E_STATE/log
NETNS=$E2E_STATE/netns
# Values that kubelet changes for the whole machine: the first cluster saves them, the last puts them back. A boot of the
# machine sets them again, and empties /run.
SYSCTL_FOLDER=/run/orb-e2e-machine-settings
SYSCTL_NAMES=(vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys
  kernel/keys/root_maxbytes)
NODE_ADDRESS=10.240.0.1
SERVICE_RANGE=10.96.0.0/16
API_SERVICE=10.96.0.1
DNS_SERVICE=10.96.0.10
POD_RANGE=10.244.0.0/24
CGROUP=orb-e2e-$E2E_NAME

# The folder of this cluster in every cgroup hierarchy (version 1), or in the only one (version 2).
cgroup_folders() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/$CGROUP"
  else
    printf '%s\n' /sys/fs/cgroup/*/ | sed "s#\$#$CGROUP#"
  fi
}

# The process that holds the cluster's namespaces, if it still is ours: a pid may have been used again.
holder() {
  local pid
  pid=$(cat "$E2E_STATE/holder.pid" 2>/dev/null) || return 1
  [ -n "$pid" ] && [ -e "/proc/$pid" ] || return 1
  [ "$(readlink "/proc/$pid/ns/net")" = "net:[$(stat -Lc %i "$NETNS" 2>/dev/null)]" ] || return 1
  [ "$(readlink "/proc/$pid/ns/pid")" != "$(readlink /proc/self/ns/pid)" ] || return 1
  echo "$pid"
}

say() { echo "$*" >&2; }

BEGAN=${EPOCHREALTIME/[.,]/}
lap() {
  local hundredths=$(((${EPOCHREALTIME/[.,]/} - BEGAN) / 10000))
  printf '%4d.%02d s  %s\n' $((hundredths / 100)) $((hundredths % 100)) "$*" >&2
}

# wait_for SECONDS WHAT COMMAND... The seconds are long enough for a slow machine: only a hang takes longer.
wait_for() {
  local seconds=$1 what=$2 until=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$until" ]; then
      say "$what: not within $seconds s; the logs are in $LOGS"
      return 1
    fi
    sleep 0.1
  done
}

with_machine_settings() {
  exec 9</run
  flock 9
  "$@"
  exec 9<&-
}

save_machine_settings() {
  local name
  mkdir -p "$SYSCTL_FOLDER"
  if [ ! -e "$SYSCTL_FOLDER/saved" ]; then
    for name in "${SYSCTL_NAMES[@]}"; do
      [ ! -e "/proc/sys/$name" ] || printf '%s %s\n' "$name" "$(cat "/proc/sys/$name")"
    done >"$SYSCTL_FOLDER/saved.part"
    mv "$SYSCTL_FOLDER/saved.part" "$SYSCTL_FOLDER/saved"
  fi
  touch "$SYSCTL_FOLDER/of-$E2E_NAME"
}

restore_machine_settings() {
  local name value
  [ -e "$SYSCTL_FOLDER/saved" ] || return 0
  rm -f "$SYSCTL_FOLDER/of-$E2E_NAME"
  [ -z "$(find "$SYSCTL_FOLDER" -name 'of-*')" ] || return 0
  while read -r name value; do
    [ "$(cat "/proc/sys/$name")" = "$value" ] || echo "$value" >"/proc/sys/$name"
  done <"$SYSCTL_FOLDER/saved"
  rm -rf "$SYSCTL_FOLDER"
}
