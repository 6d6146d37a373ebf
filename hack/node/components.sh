# The programs of the control plane and of the node; sourced by up.sh.
# shellcheck shell=bash disable=SC2154

start_containerd() {
  cat >"$CONFIG/containerd.toml" <<END
version = 3
root = '/var/lib/containerd'
state = '/run/containerd'
imports = []
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = 'localhost/pause:1'
[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE negative scores are refused.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  enable_criu = false
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['/usr/lib/cni']
    conf_dir = '$CONFIG/cni'
[plugins.'io.containerd.nri.v1.nri']
  disable = true
END
  # ptp: every packet of a pod is routed by the node, so that a NetworkPolicy is a rule of its forward hook.
  cat >"$CONFIG/cni/10-node.conflist" <<END
{"cniVersion": "1.0.0", "name": "node", "plugins": [
  {"type": "ptp", "mtu": 1500, "ipMasq": false,
   "ipam": {"type": "host-local", "dataDir": "/run/cni-ipam",
            "ranges": [[{"subnet": "$POD_RANGE"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
  start containerd env PATH="$BIN:$PATH" "$BIN/containerd" --config "$CONFIG/containerd.toml" --log-level warn
}

# With fsync: what a test kills must lose nothing that was promised.
start_etcd() {
  start etcd "$BIN/etcd" --data-dir "$E2E_STATE/etcd" --log-level warn \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster default=http://127.0.0.1:2380
}

start_api_server() {
  start kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
    "--advertise-address=$NODE_ADDRESS" --secure-port=6443 "--service-cluster-ip-range=$SERVICE_RANGE" \
    "--tls-cert-file=$PKI/apiserver.crt" "--tls-private-key-file=$PKI/apiserver.key" "--client-ca-file=$PKI/ca.crt" \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    "--service-account-key-file=$PKI/sa.pub" "--service-account-signing-key-file=$PKI/sa.key" \
    "--kubelet-client-certificate=$PKI/admin.crt" "--kubelet-client-key=$PKI/admin.key" \
    "--kubelet-certificate-authority=$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --profiling=false
}

# At their default of 20 requests a second the controllers take 4 s to start.
start_controllers() {
  local quick=(--kube-api-qps=300 --kube-api-burst=600 --leader-elect=false --profiling=false --bind-address=127.0.0.1)
  start kube-controller-manager "$BIN/kube-controller-manager" "--kubeconfig=$CONFIG/controller-manager.conf" \
    "--root-ca-file=$PKI/ca.crt" "--service-account-private-key-file=$PKI/sa.key" --use-service-account-credentials \
    "--cluster-signing-cert-file=$PKI/ca.crt" "--cluster-signing-key-file=$PKI/ca.key" "${quick[@]}"
  start kube-scheduler "$BIN/kube-scheduler" "--kubeconfig=$CONFIG/scheduler.conf" "${quick[@]}"
}

start_kubelet() {
  : >"$CONFIG/resolv.conf"
  cat >"$CONFIG/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 0.0.0.0
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-server.crt
tlsPrivateKeyFile: $PKI/kubelet-server.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
failSwapOn: false
oomScoreAdj: 0
maxOpenFiles: $(ulimit -Hn | sed 's/unlimited/1048576/')
makeIPTablesUtilChains: false
seccompDefault: true
clusterDomain: cluster.local
clusterDNS: [$DNS_SERVICE]
resolvConf: $CONFIG/resolv.conf
# Local images can't be pulled again: a full disk must not remove them.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%, imagefs.inodesFree: 1%}
syncFrequency: 10s
nodeStatusUpdateFrequency: 5s
volumeStatsAggPeriod: 1m0s
shutdownGracePeriod: 0s
END
  start kubelet "$BIN/kubelet" "--config=$CONFIG/kubelet.yaml" "--kubeconfig=$CONFIG/kubelet.conf" \
    "--hostname-override=$NODE" "--node-ip=$NODE_ADDRESS" --v=1
}

# conntrack's settings are read-only in a network namespace: 0 leaves them alone.
start_proxy() {
  cat >"$CONFIG/kube-proxy.yaml" <<END
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $CONFIG/proxy.conf}
mode: nftables
clusterCIDR: $POD_RANGE
bindAddress: $NODE_ADDRESS
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
oomScoreAdj: 0
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
nftables: {minSyncPeriod: 100ms}
END
  start kube-proxy "$BIN/kube-proxy" "--config=$CONFIG/kube-proxy.yaml" "--hostname-override=$NODE"
}

# Outside the node's mounts, which may hide the checkout.
start_network_policy() {
  nsenter -t "$HOLDER" --net --pid -- setsid --fork env "PATH=$BIN:$PATH" "KUBECONFIG=$CONFIG/admin.conf" \
    "$E2E_NODE_BINARY" "$here/network-policy.ts" </dev/null >>"$LOGS/network-policy.log" 2>&1
}
