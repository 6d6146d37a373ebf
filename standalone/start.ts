import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseExceptions } from '../adapters/egress/exceptions.ts';
import type { EgressException } from '../adapters/egress/port.ts';
import { selfTest } from '../adapters/egress/self-test.ts';
import { initKeys } from '../adapters/keys/init-keys.ts';
import { loadKeys } from '../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import { ed25519Verify, randomSource, sha256 } from '../adapters/keys/primitives.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import { serveMetrics } from '../adapters/telemetry/serve-metrics.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { healthRoutes } from '../api-server/health/routes.ts';
import { openapiRoute } from '../api-server/http/openapi-route.ts';
import type { Route } from '../api-server/http/route.ts';
import { createApp, type Answered, type App } from '../api-server/http/server.ts';
import { keyRoutes } from '../api-server/log/key-routes.ts';
import { logRoutes } from '../api-server/log/log-routes.ts';
import { manifestRoute } from '../api-server/manifests/manifest-route.ts';
import { receiptListRoute } from '../api-server/receipts/list-route.ts';
import { receiptRoutes } from '../api-server/receipts/receipt-routes.ts';
import { createReceiptVerifier } from '../api-server/receipts/verify-stored.ts';
import { executeRoute } from '../api-server/runtime/execute.ts';
import { sweepUntil } from '../api-server/runtime/sweeper.ts';
import { openKeys } from '../core/verify/keys.ts';
import { openDataFolder, readIfThere, type DataFolder } from './data-folder.ts';
import { startExample, type Example } from './example/example.ts';
import { localKey, writeCredentials, type LocalKey } from './first-key.ts';
import { openPlatform, type Platform } from './platform.ts';
import { watchResources } from './resources/watch-resources.ts';
import type { ListenAddress, Settings } from './settings.ts';

/** A start that can't go on; the message says what to do. @param exit as documented: 1, 64, 78 */
export class StartError extends Error {
  readonly exit: number;
  constructor(message: string, exit: number, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

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

// Longer than the longest run (120 s). A second signal stops at once: the sweeper of the next start closes what is left.
const DRAIN_MS = 125_000;
const POLL_MS = 20;
const EX_USAGE = 64;
const EX_CONFIG = 78;

async function checkEgress({ env, clock }: StartTools): Promise<void> {
  const result = await selfTest({ env, clock });
  if (result.ok) return;
  throw new StartError(`egress-guard-ineffective: ${result.failures.join('; ')}`, EX_CONFIG);
}

function exceptionsOf(settings: Settings): readonly EgressException[] {
  const parsed = parseExceptions(settings.egressAllow, settings.egressStub);
  if (!parsed.ok) throw new StartError(parsed.errors.join('\n'), EX_USAGE);
  return parsed.exceptions;
}

/** Only the first certificate is looked at: enough to tell a file of certificates from another. */
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

async function readCa(path: string): Promise<string> {
  const pem = await readIfThere(path);
  if (pem !== undefined && isAuthority(pem)) return pem;
  throw new StartError(`--egress-ca ${path}: no PEM certificate of an authority is there`, EX_USAGE);
}

async function openPlatformKeys(folder: DataFolder, settings: Settings, clock: Clock): Promise<PlatformKeys> {
  await initKeys(folder.keys, { issuer: settings.issuer, now: clock.now(), random: randomSource() });
  const keys = await loadKeys(folder.keys);
  if (keys.issuer === settings.issuer) return keys;
  const message = `the keys in ${folder.keys} belong to the issuer ${keys.issuer}: start with --issuer ${keys.issuer}, or with another --data`;
  throw new StartError(message, EX_CONFIG);
}

async function routesOf(
  { keys, ledger, clock, runtime, version }: Platform,
  isReady: () => boolean,
): Promise<readonly Route[]> {
  const primitives = { sha256, ed25519Verify, now: clock.now };
  const opened = await openKeys(keys.keysJws, keys.root, primitives);
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  const verifier = createReceiptVerifier(opened.document, primitives);
  const missing = (): readonly string[] => [
    ...(isReady() ? [] : ['resources']),
    ...(runtime.selfCheck.failed ? ['self-check'] : []),
  ];
  const routes = [
    ...healthRoutes({ version, clock, missing }),
    ...keyRoutes({ keysJws: keys.keysJws, document: opened.document, clock }),
    ...logRoutes(ledger),
    ...receiptRoutes({ ledger, verifier, clock, keysJws: keys.keysJws }),
    receiptListRoute(ledger, verifier),
    manifestRoute(ledger),
    executeRoute(runtime),
  ];
  return [...routes, openapiRoute(routes, version)];
}

function logRequest(platform: Platform): (answered: Answered) => void {
  const { metrics, log } = platform;
  return ({ route, method, status, durationMs, requestId, caller }) => {
    metrics.http(route, status);
    log.logger.debug('request', { route, method, status, duration_ms: durationMs, request_id: requestId, caller });
  };
}

/** @throws StartError somebody has the address, or it is none of this machine */
async function claim<T>({ host, port }: ListenAddress, flag: string, listening: () => Promise<T>): Promise<T> {
  try {
    return await listening();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    const hint = code === 'EADDRINUSE' ? `: something listens there already; choose another by ${flag}` : '';
    throw new StartError(`can't listen on ${host}:${port} (${code})${hint}`, 1, { cause: error });
  }
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function listen(app: App, { host, port }: ListenAddress): Promise<string> {
  app.server.listen(port, host);
  await once(app.server, 'listening');
  const address: AddressInfo | string | null = app.server.address();
  return urlOf(host, typeof address === 'object' && address !== null ? address.port : port);
}

interface Opened {
  readonly folder: DataFolder;
  readonly platform: Platform;
  readonly example: Example;
}

async function open(settings: Settings, tools: StartTools): Promise<Opened> {
  const { clock, log, orb, root } = tools;
  await checkEgress(tools);
  const given = exceptionsOf(settings);
  const given_ca = await Promise.all(settings.egressCa.map(readCa));
  const folder = await openDataFolder(settings.data);
  const keys = await openPlatformKeys(folder, settings, clock);
  const example = await startExample(folder, clock);
  const exceptions = given.some(({ origin }) => origin === example.exception.origin)
    ? given
    : [...given, example.exception];
  const platform = await openPlatform(root, {
    folder,
    clock,
    log,
    keys,
    exceptions,
    ca: [...given_ca, example.ca],
    orb,
  }).catch(async (error: unknown) => {
    await example.close();
    throw error;
  });
  await example.fillVault();
  return { folder, platform, example };
}

/** Starts everything in its order and answers requests when it returns. @throws StartError what the person can mend */
export async function start(settings: Settings, tools: StartTools): Promise<Running> {
  const { folder, platform, example } = await open(settings, tools);
  const { clock, log } = tools;
  const { apiKeys, admission, random } = platform;
  let synced = false;
  const resources = await watchResources(settings, folder, platform);
  synced = true;
  const stopping = new AbortController();
  const sweeper = sweepUntil(platform.runtime, stopping.signal);
  const app = createApp({
    routes: await routesOf(platform, () => synced),
    authenticate: apiKeys.authenticate,
    admission,
    logger: log.logger,
    clock,
    random,
    observe: logRequest(platform),
  });
  const metrics = await claim(settings.metricsListen, '--metrics-listen', () =>
    serveMetrics(settings.metricsListen, platform.metrics, log.logger),
  );
  const url = await claim(settings.listen, '--listen', () => listen(app, settings.listen));
  const key = await localKey(folder, apiKeys, { now: clock.now(), random });
  await writeCredentials(folder, url, key.key);
  const stop = async (): Promise<void> => {
    const until = clock.monotonic() + DRAIN_MS;
    const cut = await app.drain(DRAIN_MS);
    if (cut > 0) log.logger.warn('connections were cut', { connections: cut });
    // A caller who has gone away leaves a run behind, which ends like any other.
    while (admission.inFlight() > 0 && clock.monotonic() < until) await clock.sleep(POLL_MS, stopping.signal);
    stopping.abort();
    await Promise.all([sweeper, resources(), metrics.close(), example.close()]);
    await platform.close();
  };
  const metricsUrl = `${urlOf(settings.metricsListen.host, metrics.port)}/metrics`;
  return { url, metricsUrl, platform, folder, key, stop };
}
