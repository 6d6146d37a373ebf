import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { initKeys } from '../adapters/keys/init-keys.ts';
import { loadKeys } from '../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import { createFileHeadStore } from '../adapters/log-head/file-head-store.ts';
import { randomSource } from '../adapters/keys/primitives.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { readAuthorities } from '../adapters/egress/authorities.ts';
import { checkEgress, allowRulesOf } from '../api-server/process/egress-settings.ts';
import { openPlatform, type Platform } from '../api-server/process/platform.ts';
import { replayThreads } from '../api-server/process/replay-threads.ts';
import { serve } from '../api-server/process/serve.ts';
import type { RuntimeSettings } from '../api-server/runtime/runtime.ts';
import { CANARY } from '../api-server/status/probes/probe.ts';
import { shellWord } from '../core/shell/shell-word.ts';
import { openClusterOfOne } from './cluster-of-one.ts';
import { checkFree } from '../adapters/process/listen.ts';
import { EX_CONFIG, StartError, UsageError } from '../adapters/process/start-error.ts';
import { onDataDisk, openDataFolder, type DataFolder } from './data-folder.ts';
import { startExample, type Example } from './example/example.ts';
import { localKey, writeCredentials, type LocalKey } from './first-key.ts';
import type { Settings } from './settings.ts';
import { createCanaryKey } from './status/canary-key.ts';
import { canaryObjects } from './status/canary-objects.ts';
import { runOwnRounds } from './status/own-rounds.ts';

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

/** Whether this process makes rounds of checks itself. */
const measures = ({ statusIntervalMs, services }: Settings): boolean =>
  statusIntervalMs > 0 && services.includes('status');

interface Opened {
  readonly folder: DataFolder;
  readonly platform: Platform;
  readonly apiKeys: ApiKeyStore;
  readonly example: Example;
}

/** @throws UsageError it is no folder: every object would stay away, and nothing but a line in the log would say why */
async function checkResources({ resources }: Settings): Promise<void> {
  const found = await stat(resources).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const why = found === undefined ? 'there is no such folder' : 'it is no folder';
  throw new UsageError(`--resources ${resources}: ${why}; name the folder that holds your manifests`);
}

async function open(settings: Settings, { clock, log, orb, root, env }: StartTools): Promise<Opened> {
  await checkResources(settings);
  await checkFree([
    { address: settings.listen, flag: '--listen' },
    { address: settings.metricsListen, flag: '--metrics-listen' },
  ]);
  await checkEgress(env, clock);
  const given = allowRulesOf(settings);
  const authorities = await readAuthorities(settings.egressCa);
  const folder = await openDataFolder(settings.data);
  const keys = await onDataDisk(folder.path, () => openPlatformKeys(folder, settings, clock));
  const example = await onDataDisk(folder.path, () => startExample(folder, clock));
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
    status: { ownIntervalMs: measures(settings) ? settings.statusIntervalMs : 0 },
    use: settings.use,
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
  if (measures(settings)) await example.fillVaultOf({ namespace: PLATFORM_NAMESPACE, name: CANARY.orbiset });
  return { folder, platform, apiKeys, example };
}

/** A person waits for the end: with all that follows it takes at most 12 s. Runs that are cut are closed at the next start. */
const DRAIN_MS = 10_000;

/**
 * Starts everything in order. When it returns, requests are answered. @throws StartError a problem that the person can
 * fix
 */
export async function start(settings: Settings, tools: StartTools): Promise<Running> {
  const { folder, platform, apiKeys, example } = await open(settings, tools);
  const { clock } = tools;
  const canary = createCanaryKey(PLATFORM_NAMESPACE, platform.random);
  const cluster = await openClusterOfOne(platform, {
    resources: settings.resources,
    vault: folder.vault,
    platformNamespace: PLATFORM_NAMESPACE,
    own: measures(settings) ? canaryObjects(PLATFORM_NAMESPACE, canary.sourceSecret) : [],
  });
  const { pins, policyObjects, lastEvaluation, slices } = cluster;
  const served = await serve(platform, {
    listen: settings.listen,
    metricsListen: settings.metricsListen,
    maxRequestBytes: settings.maxRequestBytes,
    httpBounds: settings.httpBounds,
    services: settings.services,
    trustedProxies: settings.trustedProxies,
    rates: settings.use.rates,
    authenticate: canary.beside(apiKeys.authenticate),
    missing: () => [],
    pins,
    policyObjects,
    lastEvaluation,
    slices,
    drainMs: DRAIN_MS,
  });
  const { url, metricsUrl } = served;
  const key = await localKey(folder, apiKeys, { now: clock.now(), random: platform.random });
  await writeCredentials(folder, url, key.key);
  const { statusIntervalMs: intervalMs } = settings;
  const rounds = measures(settings)
    ? runOwnRounds(platform, { url, metricsUrl, canary, platformNamespace: PLATFORM_NAMESPACE, intervalMs })
    : undefined;
  const stop = async (): Promise<void> => {
    await rounds?.stop();
    await served.stop();
    await cluster.stop();
    await Promise.all([apiKeys.close(), example.close()]);
    await platform.close();
  };
  return { url, metricsUrl, platform, folder, key, stop };
}
