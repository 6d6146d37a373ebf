import { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { initKeys } from '../adapters/keys/init-keys.ts';
import { loadKeys } from '../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import { createFileHeadStore } from '../adapters/log-head/file-head-store.ts';
import { randomSource } from '../adapters/keys/primitives.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { checkEgress, exceptionsOf, readAuthorities } from '../api-server/process/egress-settings.ts';
import { openPlatform, type Platform } from '../api-server/process/platform.ts';
import { serve } from '../api-server/process/serve.ts';
import { EX_CONFIG, StartError } from '../api-server/process/start-error.ts';
import { openDataFolder, type DataFolder } from './data-folder.ts';
import { startExample, type Example } from './example/example.ts';
import { FailoverRows } from './failover/failover-rows.ts';
import { createLedgerPins } from './failover/ledger-pins.ts';
import { startFailover } from './failover/start-failover.ts';
import { localKey, writeCredentials, type LocalKey } from './first-key.ts';
import { watchResources } from './resources/watch-resources.ts';
import { secretHint } from './secret-hint.ts';
import type { Settings } from './settings.ts';

export interface StartTools {
  readonly root: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How the command line is called from here. */
  readonly orb: string;
}

/** A running standalone. */
export interface Running {
  readonly url: string;
  readonly metricsUrl: string;
  readonly platform: Platform;
  readonly folder: DataFolder;
  readonly key: LocalKey;
  /** No new work, runs in flight end, the ledger is flushed. */
  readonly stop: () => Promise<void>;
}

const PLATFORM_NAMESPACE = 'orb-system';

async function openPlatformKeys(folder: DataFolder, settings: Settings, clock: Clock): Promise<PlatformKeys> {
  await initKeys(folder.keys, { issuer: settings.issuer, now: clock.now(), random: randomSource() });
  const keys = await loadKeys(folder.keys);
  if (keys.issuer === settings.issuer) return keys;
  const message = `the keys in ${folder.keys} belong to the issuer ${keys.issuer}: start with --issuer ${keys.issuer}, or with another --data`;
  throw new StartError(message, EX_CONFIG);
}

interface Opened {
  readonly folder: DataFolder;
  readonly platform: Platform;
  readonly apiKeys: ApiKeyStore;
  readonly example: Example;
}

async function open(settings: Settings, { clock, log, orb, root, env }: StartTools): Promise<Opened> {
  await checkEgress(env, clock);
  const given = exceptionsOf(settings);
  const authorities = await readAuthorities(settings);
  const folder = await openDataFolder(settings.data);
  const keys = await openPlatformKeys(folder, settings, clock);
  const example = await startExample(folder, clock);
  const isGiven = (origin: string): boolean => given.some((exception) => exception.origin === origin);
  const exceptions = [...given, ...example.exceptions.filter(({ origin }) => !isGiven(origin))];
  const apiKeys = new ApiKeyStore(folder.apiKeys, { clock, logger: log.logger });
  const platform = await openPlatform(root, {
    ledgerFolder: folder.ledger,
    clock,
    log,
    keys,
    exceptions,
    ca: [...authorities, example.ca],
    apiKeys: apiKeys.keys,
    runtime: {
      platformNamespace: PLATFORM_NAMESPACE,
      standalone: true,
      owner: `standalone-${process.pid}`,
      secretHint: secretHint(orb, folder.path),
    },
  }).catch(async (error: unknown) => {
    await example.close();
    throw error;
  });
  // The log itself says what is wrong.
  await platform.followHead(createFileHeadStore(settings.logHead), () => undefined);
  await apiKeys.open();
  await example.fillVault();
  await example.openControl();
  return { folder, platform, apiKeys, example };
}

/** Starts everything in its order and answers requests when it returns. @throws StartError what the person can mend */
export async function start(settings: Settings, tools: StartTools): Promise<Running> {
  const { folder, platform, apiKeys, example } = await open(settings, tools);
  const { clock } = tools;
  let synced = false;
  const pins = await createLedgerPins(platform);
  const rows = new FailoverRows(platform);
  await rows.open();
  const resources = await watchResources(settings, folder, platform);
  await rows.prune();
  synced = true;
  const failover = startFailover(platform, rows);
  const served = await serve(platform, {
    listen: settings.listen,
    metricsListen: settings.metricsListen,
    authenticate: apiKeys.authenticate,
    missing: () => (synced ? [] : ['resources']),
    pins,
    figures: failover.figures,
  });
  const { url, metricsUrl } = served;
  const key = await localKey(folder, apiKeys, { now: clock.now(), random: platform.random });
  await writeCredentials(folder, url, key.key);
  const stop = async (): Promise<void> => {
    await served.stop();
    await failover.stop();
    await Promise.all([resources(), apiKeys.close(), example.close()]);
    await platform.close();
  };
  return { url, metricsUrl, platform, folder, key, stop };
}
