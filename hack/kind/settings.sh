# Names and checks of the kind cluster; sourced.
# shellcheck shell=bash disable=SC2034
NAME=${KIND_CLUSTER_NAME:-orb}
CONTEXT=kind-$NAME

for program in docker kind kubectl; do
  command -v "$program" >/dev/null || {
    echo "$program is missing: see hack/kind/README.md" >&2
    exit 1
  }
done
docker info >/dev/null 2>&1 || {
  echo "Docker does not answer: is it running, and may you use it?" >&2
  exit 1
}

exists() { kind get clusters --quiet | grep -qxF "$NAME"; }
