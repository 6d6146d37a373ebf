#!/usr/bin/env bash
# down.sh [--keep]: removes the kind cluster. --keep only stops its node, as a power cut would; `docker start` goes on.
set -euo pipefail
case ${1:-} in
  '' | --keep) ;;
  *)
    echo "usage: hack/kind/down.sh [--keep]: see hack/kind/README.md" >&2
    exit 64
    ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=hack/kind/settings.sh
. "$here/settings.sh"

exists || {
  echo "There is no cluster \"$NAME\"." >&2
  exit 0
}
if [ "${1:-}" = --keep ]; then
  docker kill "$NAME-control-plane" >/dev/null
  echo "The node is off. Go on with: docker start $NAME-control-plane" >&2
else
  kind delete cluster --name "$NAME"
fi
