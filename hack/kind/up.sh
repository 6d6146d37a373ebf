#!/usr/bin/env bash
# up.sh [IMAGE...]: brings up a one-node kind cluster and loads images of Docker, or archives that end with .tar, into it.
set -euo pipefail
case ${1:-} in
  -*)
    echo "usage: hack/kind/up.sh [IMAGE...]: see hack/kind/README.md" >&2
    exit 64
    ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=hack/kind/settings.sh
. "$here/settings.sh"

if exists; then
  echo "The cluster \"$NAME\" is already up." >&2
else
  kind create cluster --name "$NAME" --config "$here/cluster.yaml" ${KIND_NODE_IMAGE:+--image "$KIND_NODE_IMAGE"} --wait 120s
fi
for image; do
  case $image in
    *.tar) kind load image-archive "$image" --name "$NAME" ;;
    *) kind load docker-image "$image" --name "$NAME" ;;
  esac
done
kubectl --context "$CONTEXT" wait --for=condition=Ready node --all --timeout=120s
echo "Use it with: kubectl --context $CONTEXT, helm --kube-context $CONTEXT. End it with hack/kind/down.sh." >&2
