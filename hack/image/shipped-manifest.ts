/** What of package.json is true of the installed program; scripts and development's packages stay behind. */
const KEPT = ['name', 'version', 'description', 'license', 'private', 'type', 'engines', 'dependencies'];

/** @param manifest package.json, parsed */
export function shippedManifest(manifest: unknown): Readonly<Record<string, unknown>> {
  const entries = typeof manifest === 'object' && manifest !== null ? Object.entries(manifest) : [];
  return Object.fromEntries(entries.filter(([name]) => KEPT.includes(name)));
}
