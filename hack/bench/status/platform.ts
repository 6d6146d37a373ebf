import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import { issueServerCertificate, makeLocalCa } from '../../../adapters/egress/local-ca.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { CANARY } from '../../../api-server/status/probes/probe.ts';
import type { Scope } from '../../../core/api-key/scopes.ts';
import { freePort } from '../../control-plane/free-port.ts';
import { logFile, startPlatform, type BenchServer } from '../subjects.ts';

export const NAMESPACE = 'orb-system';
/** Name by which the API calls the canary's provider. */
const HOST = 'orb-canary.orb-system.svc';
/** Port of that name, as the chart has it; the stub leads to a free one. */
const HOST_PORT = 8444;
const SCOPES: readonly Scope[] = ['orbs:execute', 'receipts:read', 'reputation:read', 'ingest:read', 'status:report'];
/** Of the Orb of other benchmarks, which nothing calls here. */
const NO_PROVIDER = 9;

const document = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

/** What the chart makes for the prober. */
const canaryObjects = (secret: string): readonly object[] => [
  document('Orbiset', CANARY.orbiset, {}),
  document('Orb', CANARY.orbId.replace('@', '-'), {
    orb_id: CANARY.orbId,
    provider: 'prober',
    inputs: { text: { type: 'string', required: true } },
    outputs: { text: { type: 'string', from: '/body/text' } },
    execution: {
      type: 'http',
      method: 'POST',
      url: `https://${HOST}:${HOST_PORT}/v1/echo`,
      headers: { 'Content-Type': 'application/json' },
      body_template: '{"text":"{{inputs.text}}"}',
      idempotent: true,
    },
  }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: CANARY.source, namespace: NAMESPACE },
    stringData: { secret },
  },
  document('OrbSignalSource', CANARY.source, {
    type: 'standardWebhooks',
    mode: 'Active',
    auth: { secretRefs: [{ name: CANARY.source, key: 'secret' }] },
    effects: { incident: false, reputation: false },
    retention: { raw: '1h', signals: '24h' },
  }),
];

/** A platform whose rounds of checks have not begun, with everything that a prober needs. */
export interface MeasuredPlatform {
  readonly server: BenchServer;
  readonly data: string;
  /** Where the canary's provider has to listen. */
  readonly providerPort: number;
  /** PEM files: authority, and the certificate of the API, of the prober and of its provider. */
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly tokenFile: string;
  readonly sourceSecretFile: string;
}

function writeCertificates(folder: string): MeasuredPlatform['files'] {
  const tools = { clock: systemClock, random: randomBytes };
  const ca = makeLocalCa(tools);
  const server = issueServerCertificate(ca, { names: [HOST, 'localhost'], ips: ['127.0.0.1'] }, tools);
  const files = { ca: join(folder, 'ca.crt'), cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  writeFileSync(files.ca, ca.certificate);
  writeFileSync(files.cert, server.certificate);
  writeFileSync(files.key, server.key, { mode: 0o600 });
  return files;
}

/** Starts the platform without rounds of its own, for the time of `work`. */
export async function withPlatform<T>(
  folder: string,
  { isCompiled }: { readonly isCompiled: boolean },
  work: (platform: MeasuredPlatform) => Promise<T>,
): Promise<T> {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const documents = canaryObjects(secret).map((one) => JSON.stringify(one));
  writeFileSync(join(folder, 'resources', 'canary.yaml'), documents.join('\n---\n'));
  const files = writeCertificates(folder);
  const providerPort = await freePort();
  const egress = ['--egress-stub', `https://${HOST}:${HOST_PORT}=127.0.0.1:${providerPort}`, '--egress-ca', files.ca];
  const flags = [...egress, '--status-interval', '0', '--rate-address', '0'];
  const server = await startPlatform(folder, NO_PROVIDER, logFile(folder, 'log.txt'), { isCompiled, flags });
  try {
    const data = join(folder, 'data');
    const newKey = { tenants: [NAMESPACE], scopes: SCOPES, createdBy: 'a benchmark' };
    const made = await createApiKey(join(data, 'api-keys'), newKey, { now: Date.now(), random: randomBytes });
    const [tokenFile, sourceSecretFile] = [join(folder, 'token'), join(folder, 'source-secret')];
    writeFileSync(tokenFile, made.text, { mode: 0o600 });
    writeFileSync(sourceSecretFile, secret, { mode: 0o600 });
    return await work({ server, data, providerPort, files, tokenFile, sourceSecretFile });
  } finally {
    await server.started.stop();
  }
}
