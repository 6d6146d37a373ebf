#!/usr/bin/env bash
# Static volumes of the default StorageClass. They are "local": unlike hostPath they honour fsGroup. A volume whose claim
# was deleted is emptied and created again, because a released volume is never bound again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=hack/node/settings.sh
. "$here/settings.sh"
kubectl=$E2E_STATE/kubectl
COUNT=24
released='{range .items[?(@.status.phase=="Released")]}{.metadata.name}{"\n"}{end}'

for name in $("$kubectl" get pv -o "jsonpath=$released"); do
  [[ $name == local-* ]] || continue
  "$kubectl" delete pv "$name" >/dev/null
  rm -rf --one-file-system "$E2E_STATE/var-lib/volumes/$name"
done
{
  cat <<END
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
END
  for number in $(seq $COUNT); do
    mkdir -p "$E2E_STATE/var-lib/volumes/local-$number"
    cat <<END
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: local-$number}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: local
  local: {path: /var/lib/volumes/local-$number}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [$NODE]}]}]}}
END
  done
} | "$kubectl" apply --server-side -f - >/dev/null
