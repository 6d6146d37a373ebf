import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUs } from '../../../hack/bench/clean-end.ts';
import { ledgerFileOf } from '../../support/data-ledger.ts';
import { startProvider } from '../../support/provider.ts';
import { startStandalone } from '../../support/standalone.ts';
import { killEarly, type Starter } from '../kill-rounds.ts';
import { STANDALONE_AIMS } from './aims.ts';
import type { Running, Subject } from './subject.ts';
import type { Version } from './version.ts';

/** `npm start` over one folder; it has no objects that a caller sees. */
export interface StandaloneSubject extends Subject {
  /** Its `--data` folder. */
  readonly data: string;
  /** Ends what is beside the platform. */
  readonly close: () => Promise<void>;
}

const noObjects = (): never => {
  throw new TypeError('standalone publishes over HTTP only');
};

/** @param folder for its data and its resources; the caller removes it */
export async function openStandaloneSubject(folder: string): Promise<StandaloneSubject> {
  const provider = await startProvider();
  const origin = `http://127.0.0.1:${provider.port}`;
  const data = join(folder, 'data');
  const starter =
    (versions: readonly Version[]): Starter =>
    (onSpawn) => {
      rmSync(join(folder, 'resources'), { recursive: true, force: true });
      return startStandalone({
        data: folder,
        resources: Object.fromEntries(versions.map(({ name, manifest }) => [`${name}.json`, JSON.stringify(manifest)])),
        flags: ['--egress-allow', origin, '--reputation-interval', '1s'],
        onSpawn: (child) => {
          endWithUs(child, true);
          onSpawn?.(child.pid);
        },
      });
    };
  const start = async (versions: readonly Version[]): Promise<Running> => {
    const platform = await starter(versions)();
    return {
      url: platform.ready.url,
      key: platform.ready.api_key,
      readyAt: performance.now(),
      ledgerFile: ledgerFileOf(data),
      kill: async () => void (await platform.stop('SIGKILL')),
      stop: () => platform.stop(),
    };
  };
  return {
    aims: STANDALONE_AIMS,
    providerUrl: `${origin}/ok`,
    orbiset: 'default',
    data,
    start,
    killEarly: (versions, afterMs) => killEarly(starter(versions), afterMs),
    apply: noObjects,
    isReported: noObjects,
    disturb: () => '',
    objectLacks: () => Promise.resolve([]),
    close: provider.close,
  };
}
