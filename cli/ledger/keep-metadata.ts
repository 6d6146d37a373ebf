/** Metadata of objects that an uninstall must keep: Helm does not remove objects with this annotation. */
export const KEEP_METADATA = {
  labels: { 'app.kubernetes.io/name': 'orb-platform' },
  annotations: { 'helm.sh/resource-policy': 'keep' },
} as const;
