import { orbManifest } from '../../../test/support/orbs.ts';
import { HOSTILE, HOSTILE_ANSWERS, OTHER, SECRET } from './parts.ts';

const apiVersion = 'orbs.dev/v1alpha1';

/** Origins of the providers. */
export interface Providers {
  /** Of both tenants: they share its slots. */
  readonly shared: string;
  /** In a process of its own, because its large answers would delay the others. */
  readonly hostile: string;
}

function orb(namespace: string, name: string, manifest: string): unknown {
  const spec: unknown = JSON.parse(manifest);
  return { apiVersion, kind: 'Orb', metadata: { name, namespace }, spec };
}

/** Slow answers are awaited by every run. */
const EXECUTION = { timeout_ms: 60_000 };

const plain = (namespace: string, name: string, url: string): unknown =>
  orb(namespace, name, orbManifest(`${namespace}.${name}@1.0.0`, { url, execution: EXECUTION }));

const hostileAnswer = (origin: string): readonly unknown[] =>
  Object.entries(HOSTILE_ANSWERS).map(([name, { type }]) =>
    orb(
      HOSTILE,
      name,
      orbManifest(`${HOSTILE}.${name}@1.0.0`, {
        url: `${origin}/${name}`,
        secret: 'KEY',
        execution: EXECUTION,
        outputs: { o: { type, from: '/body/o' } },
      }),
    ),
  );

const orbisets = (namespace: string): readonly unknown[] => [
  {
    apiVersion,
    kind: 'Orbiset',
    metadata: { name: 'set', namespace },
    spec: { vault: { secrets: [{ name: 'vault', allowedHosts: ['127.0.0.1'] }] } },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'vault', namespace }, stringData: { KEY: SECRET } },
];

/** The documents of both tenants, by namespace. */
export const resourcesOf = ({ shared, hostile }: Providers): Readonly<Record<string, string>> => {
  const documents: Readonly<Record<string, readonly unknown[]>> = {
    [HOSTILE]: [
      ...orbisets(HOSTILE),
      ...['slow', 'fast', 'together'].map((name) => plain(HOSTILE, name, `${shared}/${name}`)),
      ...hostileAnswer(hostile),
    ],
    [OTHER]: [...orbisets(OTHER), plain(OTHER, 'call', `${shared}/fast`)],
  };
  return Object.fromEntries(
    Object.entries(documents).map(([name, list]) => [name, list.map((one) => JSON.stringify(one)).join('\n---\n')]),
  );
};
