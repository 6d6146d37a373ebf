# A network of its own without a link to the outside, mounts of its own, processes of their own; sourced by up.sh.
# shellcheck shell=bash disable=SC2016

# Unless told, all pods together weigh as much as one process of the machine: tests beside them would starve them.
weigh() {
  [ ! -e "$1/cpu.shares" ] || echo 16384 >"$1/cpu.shares"
  [ ! -e "$1/cpu.weight" ] || echo 1600 >"$1/cpu.weight"
}

open_namespaces() {
  local starter gate found=''
  if ! mountpoint -q "$NETNS"; then
    touch "$NETNS"
    unshare "--net=$NETNS" true
  fi
  # bash is the first process: it reaps the orphans (shims) that are left to it. It stays once its pid is on the disk: if
  # this script dies before that, killed or without disk space, the process could not be found.
  exec {gate}> >(
    exec nsenter "--net=$NETNS" setsid unshare --mount --pid --fork --mount-proc --propagation private \
      bash -c 'read -r _ && exec </dev/null && while :; do sleep 86400 & wait $!; done' >"$LOGS/holder.log" 2>&1
  )
  starter=$!
  for _ in $(seq 1200); do
    found=$(pgrep -P "$starter" | head -n 1 || true)
    if [ -n "$found" ]; then
      echo "$found" >"$E2E_STATE/holder.pid"
      holder >/dev/null && break
    fi
    sleep 0.05
  done
  echo >&"$gate"
  exec {gate}>&-
  HOLDER=$(holder) || {
    say "the namespaces can't be made:" && cat "$LOGS/holder.log" >&2
    return 1
  }
  while read -r folder; do
    mkdir -p "$folder"
    weigh "$folder"
  done < <(cgroup_folders)
}

in_node() { nsenter -t "$HOLDER" --net --mount --pid -- "$@"; }

# /run is empty, as after a boot; /var/lib, /var/log and /var/tmp are the state's: default paths, and nothing lands in
# the machine's own folders. A bridge without ports carries the node's address: not every kernel has dummy devices.
furnish_namespaces() {
  in_node env "STATE=$E2E_STATE" "ADDRESS=$NODE_ADDRESS" "SERVICES=$SERVICE_RANGE" bash -euc '
    mount --make-rshared /
    mount -t tmpfs -o mode=755 tmpfs /run
    mount --bind "$STATE/var-lib" /var/lib
    mount --bind "$STATE/var-log" /var/log
    mount --bind "$STATE/var-tmp" /var/tmp
    mkdir -p /run/lock /var/lib/kubelet /var/lib/containerd
    ip link set lo up
    ip link add node0 type bridge
    ip addr add "$ADDRESS/32" dev node0
    ip link set node0 up
    ip route add "$SERVICES" dev node0
    echo 1 >/proc/sys/net/ipv4/ip_forward
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    echo 0 >/proc/sys/net/ipv4/conf/default/rp_filter
  '
}

# start NAME COMMAND...: in the background of the node, until the node goes down.
start() {
  local name=$1
  shift
  in_node setsid --fork "$@" </dev/null >>"$LOGS/$name.log" 2>&1
}

# Commands for people and tests, written once the holder is known.
write_commands() {
  cat >"$E2E_STATE/in" <<END
#!/bin/sh
# runs a command as a process of the node (network, mounts, pids); paths must be absolute
exec nsenter -t $HOLDER --net --mount --pid -- "\$@"
END
  cat >"$E2E_STATE/net" <<END
#!/bin/sh
# runs a command in the cluster's network: tests, helm, curl
export KUBECONFIG=$CONFIG/admin.conf PATH="$BIN:\$PATH" KUBECACHEDIR=$E2E_STATE/kubectl-cache
export HELM_CACHE_HOME=$E2E_STATE/helm HELM_CONFIG_HOME=$E2E_STATE/helm HELM_DATA_HOME=$E2E_STATE/helm
export E2E_NAME=$E2E_NAME E2E_STATE=$E2E_STATE
exec nsenter --net=$NETNS -- "\$@"
END
  cat >"$E2E_STATE/kubectl" <<END
#!/bin/sh
export KUBECACHEDIR=$E2E_STATE/kubectl-cache
exec nsenter --net=$NETNS -- $BIN/kubectl --kubeconfig $CONFIG/admin.conf "\$@"
END
  chmod +x "$E2E_STATE"/{in,net,kubectl}
}
