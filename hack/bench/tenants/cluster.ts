import { makeApiKey, makeKeys, startApi, startOperator, type KeyOptions } from '../../cluster/parts.ts';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { createTenant, installPlatform, kubectlOk } from '../../control-plane/install.ts';
import { HOSTILE, OTHER } from './parts.ts';
import { CORES, pin } from './pinned.ts';
import {
  CHART_RATES,
  HOSTILE_SCOPES,
  IMAGE_HEAP,
  OTHER_SCOPES,
  RATED_KEYS,
  type AttackedPlatform,
} from './platform.ts';
import { resourcesOf, type Providers } from './resources.ts';

type Closing = (() => Promise<unknown>)[];

const allowed = ({ shared, hostile }: Providers): readonly string[] => [
  '--egress-allow',
  shared,
  '--egress-allow',
  hostile,
];

async function keysOf(plane: ControlPlane): Promise<AttackedPlatform['keys']> {
  const own: KeyOptions = { tenant: HOSTILE, scopes: ['orbs:execute'] };
  return {
    hostile: await makeApiKey(plane, { tenant: HOSTILE, scopes: HOSTILE_SCOPES, rate: '0' }),
    other: await makeApiKey(plane, { tenant: OTHER, scopes: OTHER_SCOPES }),
    rated: await Promise.all(Array.from({ length: RATED_KEYS }, () => makeApiKey(plane, own))),
  };
}

async function applyTenants(plane: ControlPlane, providers: Providers): Promise<void> {
  for (const [namespace, text] of Object.entries(resourcesOf(providers))) {
    await createTenant(plane, namespace, namespace);
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], text);
    const ready = ['wait', 'orbs,orbisets', '-n', namespace, '--all', '--for=condition=Ready', '--timeout=30s'];
    await kubectlOk(plane, ready);
  }
}

async function startBoth(plane: ControlPlane, providers: Providers, closing: Closing): Promise<AttackedPlatform> {
  await installPlatform(plane);
  const folder = await makeKeys(plane, 'https://orbs.localhost');
  const keys = await keysOf(plane);
  const flags = allowed(providers);
  const operator = await startOperator({ plane, flags });
  closing.push(() => operator.process.stop());
  const env = { NODE_OPTIONS: IMAGE_HEAP.slice(0, 2).join(' ') };
  const api = await startApi(folder, { plane, flags: [...flags, ...CHART_RATES], env });
  closing.push(() => api.process.stop());
  pin(api.process.pid, CORES.platform);
  await applyTenants(plane, providers);
  return { pid: api.process.pid, port: Number(new URL(api.url).port), keys, stop: api.process.stop };
}

/**
 * Starts the API on a local control plane with both tenants. The API has its core; control plane and operator have the
 * other one.
 */
export async function withCluster<T>(
  providers: Providers,
  work: (platform: AttackedPlatform) => Promise<T>,
): Promise<T> {
  const plane = await startControlPlane();
  const closing: Closing = [() => plane.stop()];
  try {
    return await work(await startBoth(plane, providers, closing));
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
