import { resolve } from 'node:path';
import { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { initKeys } from '../adapters/keys/init-keys.ts';
import { loadKeys } from '../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import { createFileHeadStore } from '../adapters/log-head/file-head-store.ts';
import { randomSource } from '../adapters/keys/primitives.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { checkEgress, allowRulesOf, readAuthorities } from '../api-server/process/egress-settings.ts';
import { openPlatform, type Platform } from '../api-server/process/platform.ts';
import { replayThreads } from '../api-server/process/replay-threads.ts';
import { serve } from '../api-server/process/serve.ts';
import type { RuntimeSettings } from '../api-server/runtime/runtime.ts';
import { shellWord } from '../core/shell/shell-word.ts';
import { openClusterOfOne } from './cluster-of-one.ts';
import { EX_CONFIG, StartError } from '../adapters/process/start-error.ts';
import { openDataFolder, type DataFolder } from './data-folder.ts';
import { startExample, type Example } from './example/example.ts';
import { localKey, writeCredentials, type LocalKey } from './first-key.ts';
import type { Settings } from './settings.ts';

/**
 * The command that adds an entry, for the folder where the platform was started.
 * @param orb command line as called from here
 * @param data folder of `--data`
 */
const secretHint =
  (orb: string, data: string): RuntimeSettings['secretHint'] =>
  ({ namespace, name }, entry, host) => {
    const place = namespace === 'default' && name === 'default' ? '' : ` -n ${namespace} --orbiset ${name}`;
    const folder = data === resolve('.orb') ? '' : ` --data ${shellWord(data)}`;
    return `${orb} secrets set ${entry} --host ${shellWord(host)}${place}${folder}`;
  };

export interface StartTools {
  readonly root: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command line as called from here. */
  readonly orb: string;
}

/** A running standalone. */
export interface Running {
  readonly url: string;
  readonly metricsUrl: string;
  readonly platform: Platform;
  readonly folder: DataFolder;
  readonly key: LocalKey;
  /** Accepts no new work, lets runs in flight end, and flushes the ledger. */
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
  const given = allowRulesOf(settings);
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
    reputation: {
      // Only one process uses the ledger, so the lease of a killed process is taken over at once.
      holder: 'standalone',
      operator: { orgs: new Map(settings.orgs), firstComes: settings.orgs.length === 0 },
      intervalMs: settings.reputationIntervalMs,
    },
    runtime: {
      platformNamespace: PLATFORM_NAMESPACE,
      standalone: true,
      owner: `standalone-${process.pid}`,
      secretHint: secretHint(orb, folder.path),
      policyRetention: settings.policyRetention,
      policyReplayThreads: replayThreads(settings.policyReplayThreads),
    },
  }).catch(async (error: unknown) => {
    await example.close();
    throw error;
  });
  // No callback is needed: the log already reports the problem.
  await platform.followHead(createFileHeadStore(settings.logHead), () => undefined);
  await apiKeys.open();
  await example.fillVault();
  await example.openControl();
  return { folder, platform, apiKeys, example };
}

/**
 * Starts everything in order. When it returns, requests are answered. @throws StartError a problem that the person can
 * fix
 */
export async function start(settings: Settings, tools: StartTools): Promise<Running> {
  const { folder, platform, apiKeys, example } = await open(settings, tools);
  const { clock } = tools;
  const cluster = await openClusterOfOne(platform, {
    resources: settings.resources,
    vault: folder.vault,
    platformNamespace: PLATFORM_NAMESPACE,
  });
  const { pins, policyObjects, lastEvaluation, slices } = cluster;
  const served = await serve(platform, {
    listen: settings.listen,
    metricsListen: settings.metricsListen,
    maxRequestBytes: settings.maxRequestBytes,
    authenticate: apiKeys.authenticate,
    missing: () => [],
    pins,
    policyObjects,
    lastEvaluation,
    slices,
  });
  const { url, metricsUrl } = served;
  const key = await localKey(folder, apiKeys, { now: clock.now(), random: platform.random });
  await writeCredentials(folder, url, key.key);
  const stop = async (): Promise<void> => {
    await served.stop();
    await cluster.stop();
    await Promise.all([apiKeys.close(), example.close()]);
    await platform.close();
  };
  return { url, metricsUrl, platform, folder, key, stop };
}
