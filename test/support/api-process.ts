import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initKeys } from '../../adapters/keys/init-keys.ts';
import { LOG_HEAD_NAME } from '../../adapters/log-head/config-map-head-store.ts';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { startProcess, type Process } from '../../hack/control-plane/process.ts';
import { untilReadyFile } from '../../hack/control-plane/until-ready.ts';
import { startCountingProxy, type CountingProxy } from '../chaos/rig/counting-proxy.ts';
import { unlessOverloaded } from './unless-overloaded.ts';

const root = join(import.meta.dirname, '../..');

/** An answer of the API. */
export interface ApiReply {
  readonly status: number;
  /** `''` when the answer is not a problem. */
  readonly code: string;
  readonly body: unknown;
}

/** A running API with its data, behind a proxy of the API server that journals its requests. */
export interface ApiProcess {
  readonly url: string;
  readonly data: string;
  readonly proxy: CountingProxy;
  readonly process: Process;
  /** Everything that it has logged. */
  readonly log: () => string;
  readonly execute: (key: string, orbiset: string, orbId: string, text?: string) => Promise<ApiReply>;
  readonly get: (key: string, path: string) => Promise<ApiReply>;
  /** Ends it and starts it again over the same data and the same proxy. */
  readonly restart: (signal?: NodeJS.Signals) => Promise<ApiProcess>;
  /** Ends everything and removes the data. @returns exit code */
  readonly stop: () => Promise<number | null>;
}

interface ReadyFile {
  readonly url: string;
}

const isReady = (value: unknown): value is ReadyFile => typeof value === 'object' && value !== null && 'url' in value;

async function replyOf(response: Response): Promise<ApiReply> {
  const body: unknown = await response.json();
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  return { status: response.status, code, body };
}

interface Place {
  readonly plane: ControlPlane;
  readonly data: string;
  readonly proxy: CountingProxy;
  readonly flags: readonly string[];
}

async function startOver(place: Place): Promise<ApiProcess> {
  const { plane, data, proxy, flags } = place;
  const ready = join(data, 'ready.json');
  rmSync(ready, { force: true });
  const own = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--data', data, '--ready-file', ready];
  // Many tests send more requests with one key than a caller should.
  if (!flags.some((flag) => flag.startsWith('--rate-key'))) own.push('--rate-key', '0');
  const kube = ['--kube-server', proxy.url, '--kube-token-file', plane.users.api.tokenFile];
  const log = join(data, 'api.log');
  const child = startProcess({
    name: 'api-server',
    file: process.execPath,
    args: [join(root, 'api-server/main.ts'), ...kube, ...own, ...flags],
    log,
  });
  const { url } = await untilReadyFile(ready, child, isReady);
  const call = async (key: string, path: string, init: RequestInit): Promise<ApiReply> =>
    replyOf(
      await unlessOverloaded(() =>
        fetch(`${url}${path}`, {
          ...init,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        }),
      ),
    );
  return {
    url,
    data,
    proxy,
    process: child,
    log: () => readFileSync(log, 'utf8'),
    execute: (key, orbiset, orbId, text = 'hi') =>
      call(key, `/orbisets/${orbiset}/execute`, {
        method: 'POST',
        body: JSON.stringify({ orb_id: orbId, inputs: { text } }),
      }),
    get: (key, path) => call(key, path, {}),
    restart: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await child.exited;
      return startOver(place);
    },
    stop: async () => {
      const code = await child.stop();
      await proxy.close();
      rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
}

/** Starts the API as its shipped ServiceAccount, with its own keys; it is ready when this resolves. */
export async function startApi(plane: ControlPlane, flags: readonly string[] = []): Promise<ApiProcess> {
  const data = mkdtempSync(join(tmpdir(), 'orb-api-'));
  await initKeys(join(data, 'keys'), { issuer: 'https://orbs.localhost', now: Date.now(), random: randomBytes });
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
  // The ledger is new, and the previous test had another ledger: the head that it signed must not count any more.
  await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'configmap', LOG_HEAD_NAME, '--ignore-not-found']);
  return startOver({ plane, data, proxy, flags });
}
