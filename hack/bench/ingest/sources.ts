import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadKeys } from '../../../adapters/keys/load-keys.ts';
import { hmacSha256 } from '../../../adapters/keys/primitives.ts';
import { sourceIdOf } from '../../../core/ingestion/source/source-id.ts';
import { logFile, startPlatform, type BenchServer, type PlatformOptions } from '../subjects.ts';
import { hostOf, ORB_NAMES, SECRET } from './payloads.ts';

export const NAMESPACE = 'default';
export const SOURCE = 'grafana';

const document = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

const orb = (name: string, index: number): object =>
  document('Orb', name, {
    orb_id: `bench.${name}@1.0.0`,
    provider: 'first',
    description: 'Is watched by the benchmark, and never called.',
    inputs: { text: { type: 'string', required: true } },
    outputs: { id: { type: 'string' } },
    execution: { type: 'http', method: 'POST', url: `https://${hostOf(index)}/v1`, body_template: '{{inputs.text}}' },
  });

/** Signed deliveries with limits that hold nothing back. */
const source = document('OrbSignalSource', SOURCE, {
  type: 'grafana',
  mode: 'Active',
  auth: { secretRefs: [{ name: 'hook', key: 'secret' }] },
  limits: { rps: 1000, burst: 10_000 },
});

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'hook', namespace: NAMESPACE },
  stringData: { secret: SECRET },
};

/** A platform that receives what Grafana tells about Orbs. */
export interface Receiver {
  readonly server: BenchServer;
  /** Path of the source, without a token. */
  readonly path: string;
  readonly data: string;
}

function writeResources(folder: string): void {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const documents = [...ORB_NAMES.map(orb), source, secret].map((one) => JSON.stringify(one));
  writeFileSync(join(folder, 'resources', 'ingest.yaml'), documents.join('\n---\n'));
}

/** Starts the platform, for the time of `work`. Every sender of this machine may name the address of its client. */
export async function withReceiver<T>(
  folder: string,
  mock: number,
  work: (receiver: Receiver) => Promise<T>,
  options: Omit<PlatformOptions, 'flags'> = {},
): Promise<T> {
  writeResources(folder);
  const flags = ['--trusted-proxy', '127.0.0.0/8'];
  const server = await startPlatform(folder, mock, logFile(folder, 'log.txt'), { ...options, flags });
  try {
    const data = join(folder, 'data');
    const { ingestIdKey } = await loadKeys(join(data, 'keys'));
    const id = sourceIdOf(ingestIdKey, { namespace: NAMESPACE, name: SOURCE, pathEpoch: 1 }, hmacSha256);
    return await work({ server, path: `/ingest/${id}`, data });
  } finally {
    await server.started.stop();
  }
}
