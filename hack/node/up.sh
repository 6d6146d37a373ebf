#!/usr/bin/env bash
# Brings up one real Kubernetes node with its control plane, inside one network, mount and pid namespace.
# hack/e2e.ts calls it, with the programs in $E2E_STATE/bin and the image archives as arguments.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=hack/node/settings.sh
. "$here/settings.sh"
# shellcheck source=hack/node/namespaces.sh
. "$here/namespaces.sh"
# shellcheck source=hack/node/certificates.sh
. "$here/certificates.sh"
# shellcheck source=hack/node/components.sh
. "$here/components.sh"
: "${E2E_NODE_BINARY:?Node, for the NetworkPolicy agent}"
kubectl=$E2E_STATE/kubectl

import_image() {
  local mark
  mark=$E2E_STATE/imported/$(basename "$1")
  [ ! -e "$mark" ] || return 0
  in_node "$BIN/ctr" -n k8s.io images import --local - <"$1" >"$LOGS/import.log" 2>&1 || {
    cat "$LOGS/import.log" >&2
    return 1
  }
  touch "$mark"
}
import_images() {
  local archive
  for archive; do import_image "$archive"; done
}

# A status of before a reboot says "Ready" too: only one that is newer than this start counts.
node_is_alive() {
  local condition='.status.conditions[?(@.type=="Ready")]' status heartbeat
  read -r status heartbeat < <("$kubectl" get node "$NODE" -o "jsonpath={$condition.status} {$condition.lastHeartbeatTime}")
  [ "$status" = True ] && ! [[ $heartbeat < $STARTED ]]
}

# Pods that were there before this start and have not begun a Ready life since. Finished and leaving ones don't count.
pods_waiting() {
  "$kubectl" get pods -A -o json | "$E2E_NODE_BINARY" "$here/pods-waiting.ts" "$STARTED"
}
none_waiting() {
  local waiting
  waiting=$(pods_waiting) && [ -z "$waiting" ]
}

# A reader of a CI log has only the printed text.
tell_logs() {
  local status=$? file
  [ "$status" -ne 0 ] || return 0
  for file in "$LOGS"/*.log; do
    [ -s "$file" ] || continue
    say "--- the end of $(basename "$file")"
    tail -n 8 "$file" | cut -c 1-300 >&2
  done
}

mkdir -p "$PKI" "$LOGS" "$CONFIG/cni" "$E2E_STATE"/{var-lib,var-log,var-tmp,imported}
trap tell_logs EXIT
with_machine_settings save_machine_settings
STARTED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
open_namespaces
furnish_namespaces
write_commands
lap "namespaces"
make_certificates
lap "certificates"
start_containerd
start_etcd
start_api_server
wait_for 120 "containerd" in_node "$BIN/ctr" version
import_images "$@" &
importing=$!
wait_for 180 "the API server" "$kubectl" get --raw /readyz --request-timeout=10s
lap "API server ready"
start_controllers
wait "$importing"
lap "images imported"
start_kubelet
start_proxy
start_network_policy
"$kubectl" apply -f "$here/coredns.yaml" >/dev/null
wait_for 180 "the node" node_is_alive
lap "node Ready"
"$here/volumes.sh"
if [ -e "$E2E_STATE/kept" ]; then
  wait_for 180 "pods of before the reboot" none_waiting || pods_waiting >&2
  lap "pods are back"
fi
"$kubectl" -n kube-system rollout status deploy/coredns --timeout=180s >/dev/null
lap "DNS ready"
wait_for 120 "the NetworkPolicies" nsenter "--net=$NETNS" nft list table ip node-network-policy
rm -f "$E2E_STATE/kept"
touch "$E2E_STATE/up"
