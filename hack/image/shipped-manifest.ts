/** Members of package.json that apply to the installed program; scripts and development packages are left out. */
const KEPT = ['name', 'version', 'description', 'license', 'private', 'type', 'engines', 'dependencies'];

/** @param manifest package.json, parsed */
export function shippedManifest(manifest: unknown): Readonly<Record<string, unknown>> {
  const entries = typeof manifest === 'object' && manifest !== null ? Object.entries(manifest) : [];
  return Object.fromEntries(entries.filter(([name]) => KEPT.includes(name)));
}
