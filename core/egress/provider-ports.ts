/**
 * Ports that a provider may listen on (security.md §3.1, layer 1). The dialer dials no other, and the check of a manifest
 * refuses every other. Origins of `--egress-allow` and `--egress-stub` are exempt from both.
 */
export const PROVIDER_PORTS: readonly number[] = [443];
