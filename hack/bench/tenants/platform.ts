import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import type { Scope } from '../../../core/api-key/scopes.ts';
import { start } from '../processes.ts';
import { logFile, ROOT, STANDALONE, untilPlatformReady } from '../subjects.ts';
import { HOSTILE, OTHER } from './parts.ts';
import { CORES, pin } from './pinned.ts';
import { resourcesOf, type Providers } from './resources.ts';

/** The heap that the image gives itself in a pod of 512 MiB: three quarters, and its young generation. */
export const IMAGE_HEAP = ['--max-old-space-size=384', '--max-semi-space-size=8', '--v8-pool-size=1'] as const;

/** The rates of the chart: `npm start` has none of a tenant, an Orb and the process. */
export const CHART_RATES =
  '--rate-key 100:200 --rate-tenant 1000:2000 --rate-orb 2000:4000 --rate-process 5000:10000'.split(' ');

/** A platform with both tenants, on its core. */
export interface AttackedPlatform {
  readonly pid: number;
  readonly port: number;
  readonly keys: { readonly hostile: string; readonly other: string; readonly rated: readonly string[] };
  readonly stop: () => Promise<unknown>;
}

export const HOSTILE_SCOPES: readonly Scope[] = ['orbs:execute', 'policies:simulate', 'marketplace:publish'];
export const OTHER_SCOPES: readonly Scope[] = ['orbs:execute'];
export const RATED_KEYS = 10;

/** Starts standalone. @param node further options of Node */
export async function startAttackedPlatform(
  folder: string,
  providers: Providers,
  node: readonly string[],
): Promise<AttackedPlatform> {
  const [resources, data, ready] = [join(folder, 'resources'), join(folder, 'data'), join(folder, 'ready.json')];
  mkdirSync(resources, { recursive: true });
  for (const [name, text] of Object.entries(resourcesOf(providers))) {
    writeFileSync(join(resources, `${name}.yaml`), text);
  }
  const keyOf = async (tenant: string, scopes: readonly Scope[], rate?: '0'): Promise<string> => {
    const key = { tenants: [tenant], scopes, createdBy: 'a benchmark', ...(rate === undefined ? {} : { rate }) };
    return (await createApiKey(join(data, 'api-keys'), key, { now: Date.now(), random: randomBytes })).text;
  };
  const listen = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--status-interval', '0'];
  const places = ['--resources', resources, '--data', data, '--ready-file', ready];
  const allowed = ['--egress-allow', providers.shared, '--egress-allow', providers.hostile];
  const program = [...IMAGE_HEAP, ...node, join(ROOT, STANDALONE.program)];
  const started = start(
    [...program, ...listen, ...places, ...allowed, ...CHART_RATES],
    logFile(folder, 'platform.log'),
    true,
  );
  started.child.stdout?.resume();
  pin(started.pid, CORES.platform);
  const { url } = await untilPlatformReady(ready, started);
  const rated = await Promise.all(Array.from({ length: RATED_KEYS }, () => keyOf(HOSTILE, ['orbs:execute'])));
  const keys = { hostile: await keyOf(HOSTILE, HOSTILE_SCOPES, '0'), other: await keyOf(OTHER, OTHER_SCOPES), rated };
  return { pid: started.pid, port: Number(new URL(url).port), keys, stop: () => started.stop() };
}
