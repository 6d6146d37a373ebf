/** Metadata of what an uninstall must leave: Helm removes nothing that says so. */
export const KEPT = {
  labels: { 'app.kubernetes.io/name': 'orb-platform' },
  annotations: { 'helm.sh/resource-policy': 'keep' },
} as const;
