# Keys, certificates and kubeconfigs; made once per state, so that tokens outlive a reboot. Sourced by up.sh.
# shellcheck shell=bash disable=SC2154
DAYS=365

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

# certificate NAME SUBJECT [ALTERNATIVE-NAMES]
certificate() {
  local path=$PKI/$1
  new_key "$path.key"
  openssl req -new -key "$path.key" -subj "$2" -out "$path.csr"
  openssl x509 -req -in "$path.csr" -CA "$PKI/ca.crt" -CAkey "$PKI/ca.key" -CAcreateserial -days $DAYS -out "$path.crt" \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s' "${3:+subjectAltName=$3}") 2>/dev/null
}

# client NAME SUBJECT: a certificate and a kubeconfig with it
client() {
  certificate "$1" "$2"
  cat >"$CONFIG/$1.conf" <<END
apiVersion: v1
kind: Config
clusters: [{name: node, cluster: {server: "https://$NODE_ADDRESS:6443", certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 "$PKI/$1.crt"), client-key-data: $(base64 -w0 "$PKI/$1.key")}}]
contexts: [{name: $E2E_NAME, context: {cluster: node, user: $1}}]
current-context: $E2E_NAME
END
}

make_certificates() {
  [ ! -e "$PKI/complete" ] || return 0
  new_key "$PKI/ca.key"
  openssl req -x509 -new -key "$PKI/ca.key" -subj "/CN=$E2E_NAME-ca" -days $DAYS -out "$PKI/ca.crt"
  new_key "$PKI/sa.key"
  openssl ec -in "$PKI/sa.key" -pubout -out "$PKI/sa.pub" 2>/dev/null
  local kubernetes=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
  certificate apiserver /CN=kube-apiserver \
    "$kubernetes,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$NODE_ADDRESS,IP:$API_SERVICE"
  certificate kubelet-server "/CN=$NODE" "DNS:$NODE,IP:$NODE_ADDRESS"
  client admin /O=system:masters/CN=admin
  client controller-manager /CN=system:kube-controller-manager
  client scheduler /CN=system:kube-scheduler
  client proxy /CN=system:kube-proxy
  client kubelet "/O=system:nodes/CN=system:node:$NODE"
  touch "$PKI/complete"
}
