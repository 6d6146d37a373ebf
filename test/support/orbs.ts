/** Differences of a test Orb from the default. */
export interface OrbOptions {
  readonly url: string;
  readonly method?: string;
  readonly secret?: string;
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** A bare manifest with one string input `text`, as JSON text. */
export function orbManifest(orbId: string, options: OrbOptions): string {
  const { url, method = 'POST', secret, execution = {}, outputs = { id: { type: 'string' } }, manifest = {} } = options;
  const headers = {
    'Content-Type': 'application/json',
    ...(secret === undefined ? {} : { Authorization: `Bearer {{orbiset.secrets.${secret}}}` }),
  };
  return JSON.stringify({
    orb_id: orbId,
    provider: 'main',
    description: 'An Orb of the tests.',
    inputs: { text: { type: 'string', required: true } },
    outputs,
    execution: { type: 'http', method, url, headers, body_template: '{"text":"{{inputs.text}}"}', ...execution },
    ...manifest,
  });
}

/** An Orbiset document with one Secret per entry, in YAML (JSON is YAML). */
export function orbisetDocuments(
  name: string,
  entries: Readonly<Record<string, { readonly value: string; readonly hosts: readonly string[] }>>,
  spec: Readonly<Record<string, unknown>> = {},
): string {
  const secrets = Object.entries(entries).map(([key, { value }]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${name}-${key.toLowerCase().replaceAll('_', '-')}`, namespace: 'default' },
    data: { [key]: Buffer.from(value).toString('base64') },
  }));
  const bound = Object.entries(entries).map(([key, { hosts }]) => ({
    name: `${name}-${key.toLowerCase().replaceAll('_', '-')}`,
    allowedHosts: hosts,
  }));
  const orbiset = {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orbiset',
    metadata: { name, namespace: 'default' },
    spec: { vault: { secrets: bound }, ...spec },
  };
  return [orbiset, ...secrets].map((document) => JSON.stringify(document)).join('\n---\n');
}
