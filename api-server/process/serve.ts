import { observeCertificate, type Metrics } from '../../adapters/telemetry/metrics.ts';
import { withListenErrors } from '../../adapters/process/listen.ts';
import { serveMetrics } from '../../adapters/http/serve-metrics.ts';
import { serveProbes, type ProbesServer } from '../../adapters/http/serve-probes.ts';
import { until } from '../../adapters/time/until.ts';
import { urlOf, type ListenAddress } from '../../core/network/listen-address.ts';
import type { Authenticate, Gatekeeping } from '../http/authorise.ts';
import { createHttpMetrics } from '../http/http-metrics.ts';
import type { RequestRateLimits } from '../http/request-rates.ts';
import { createApp, type App, type Answered } from '../http/server.ts';
import type { ServerLimits } from '../http/server-limits.ts';
import { sweepUntil } from '../run/sweeper.ts';
import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { connectionsWithin } from '../../adapters/process/descriptor-limit.ts';
import type { HttpBounds } from '../../adapters/process/http-bound-flags.ts';
import type { ServiceGroup } from '../../adapters/process/shared-flags.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';
import type { Cidr } from '../../core/network/cidr.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { openapiRoute } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import type { ServiceParts } from '../services/service.ts';
import { serviceRoutes, serviceSchemas, servicesOf } from '../services/services.ts';
import type { Platform } from './platform.ts';
import { runIngestWorker } from './run-ingest-worker.ts';
import { createTlsFollower, watchTls, type ServerTls, type TlsPaths } from './tls-files.ts';

/** Inputs of the routes beside the platform. They differ between standalone and a cluster. */
type RouteParts = Pick<ServiceParts, 'missing' | 'pins' | 'lastEvaluation' | 'policyObjects'>;

/** Parts that the process waits for, or has found broken. */
const missingOf =
  ({ runtime }: Platform, parts: Pick<RouteParts, 'missing'>) =>
  (): readonly string[] => [...parts.missing(), ...(runtime.selfCheck.failed ? ['self-check'] : [])];

/** The routes of these services, with their OpenAPI document. @throws StartError the keys don't match each other */
async function routesOf(
  platform: Platform,
  parts: RouteParts,
  groups: readonly ServiceGroup[],
): Promise<readonly Route[]> {
  const { keys, clock, runtime, reputation, replays, drafts, status, ingestion, version, ledger } = platform;
  const { keysJws } = keys;
  const opened = await openKeys(keysJws, keys.root, { sha256, ed25519Verify });
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  const { document } = opened;
  const services = servicesOf(groups);
  const all = {
    ...parts,
    version,
    clock,
    ledger,
    runtime,
    reputation,
    replays,
    drafts,
    status,
    sources: ingestion.sources.index,
    intake: platform.receiving.intake,
    keys: { keysJws, document },
    missing: missingOf(platform, parts),
  };
  const routes = serviceRoutes(all, services);
  return [...routes, openapiRoute(routes, { version, schemas: serviceSchemas(services) })];
}

/** Counts and logs one answered request. */
function observeRequest({ metrics, log }: Platform): (answered: Answered) => void {
  return ({ route, method, status, durationMs, requestId, caller }) => {
    metrics.http(route, status);
    log.logger.debug('request', { route, method, status, duration_ms: durationMs, request_id: requestId, caller });
  };
}

export interface ServeOptions extends RouteParts {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** Largest body of a request, bytes. */
  readonly maxRequestBytes: number;
  readonly httpBounds: HttpBounds;
  /** Services whose routes are served. */
  readonly services: readonly ServiceGroup[];
  /** Proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly Cidr[];
  /** Callers come through a proxy that ends TLS; default: false. */
  readonly isBehindProxy?: boolean;
  /** Address of `/livez` and `/readyz` alone, for the kubelet; default: they have no address of their own. */
  readonly probesListen?: ListenAddress | undefined;
  readonly rates: RequestRateLimits;
  readonly authenticate: Authenticate;
  readonly wasValid?: NonNullable<Gatekeeping['wasValid']>;
  /** Longest time for the work in progress when it stops, ms; default 125 000: longer than the longest run. */
  readonly drainMs?: number;
  /** Metrics beside those of the platform. */
  readonly slices?: Metrics['slices'];
  /** Certificate and key, with the paths of their files; absent: plain HTTP. */
  readonly tls?: { readonly paths: TlsPaths; readonly first: ServerTls };
}

/** The HTTP side of a process. */
export interface Served {
  readonly url: string;
  readonly metricsUrl: string;
  /** Undefined: the probes have no address of their own. */
  readonly probesUrl: string | undefined;
  /** Refuses new work, waits for the runs in flight, then closes the listeners. The platform stays open. */
  readonly stop: () => Promise<void>;
}

// Longer than the longest run (120 s). A second signal stops at once. The sweeper of the next start closes the open
// runs.
const DRAIN_MS = 125_000;
const POLL_MS = 20;

/** Reports missing parts until nothing was missing once. A later loss is reported by the routes that need the part. */
function untilStarted(missing: () => readonly string[]): () => readonly string[] {
  let started = false;
  return () => {
    if (started) return [];
    const found = missing();
    started = found.length === 0;
    return found;
  };
}

/** @returns a function that stops it */
function followTls(
  { log, metrics }: Platform,
  { useTls }: Pick<App, 'useTls'>,
  { paths, first }: NonNullable<ServeOptions['tls']>,
): () => Promise<void> {
  const followed = createTlsFollower(paths, first, { logger: log.logger, use: useTls });
  observeCertificate(metrics.registry, followed.expiresAt);
  return watchTls(paths, followed);
}

async function* allSlices({ metrics }: Platform, { slices }: ServeOptions): AsyncGenerator<string> {
  yield* metrics.slices();
  if (slices !== undefined) yield* slices();
}

/** @returns undefined: the probes have no address of their own */
async function serveProbesOf(platform: Platform, options: ServeOptions): Promise<ProbesServer | undefined> {
  const { probesListen } = options;
  if (probesListen === undefined) return undefined;
  const { logger } = platform.log;
  return withListenErrors(probesListen, '--probes-listen', () =>
    serveProbes({ ...probesListen, ready: missingOf(platform, options), logger }),
  );
}

/** The bounds of this process, whose descriptors may allow fewer connections than the settings. */
function limitsOf({ httpBounds, maxRequestBytes }: ServeOptions, { logger }: Platform['log']): Partial<ServerLimits> {
  const connections = connectionsWithin(httpBounds.connections);
  if (connections < httpBounds.connections) {
    logger.warn('the descriptors of this process allow fewer connections', { connections, hint: 'raise ulimit -n' });
  }
  return { ...httpBounds, bodyBytes: maxRequestBytes, connections };
}

/** What goes on beside the requests, until it is stopped. Receipts and entries are signed, so most of it waits for the log. */
async function runInBackground(platform: Platform, options: ServeOptions, signal: AbortSignal): Promise<void> {
  const following = platform.status.run(signal);
  if (await platform.logHead.ready(signal)) {
    const work = [sweepUntil(platform.runtime, signal), platform.reputation.run(signal)];
    if (options.services.includes('ingestion')) work.push(runIngestWorker(platform, options.missing, signal));
    await Promise.all(work);
  }
  await following;
}

/** The server answers requests when it returns. @throws StartError a fault that the user can correct */
export async function serve(platform: Platform, options: ServeOptions): Promise<Served> {
  const { clock, log, random, admission } = platform;
  const stopping = new AbortController();
  const background = runInBackground(platform, options, stopping.signal);
  const httpMetrics = createHttpMetrics(platform.metrics.registry);
  const app = createApp({
    routes: await routesOf(platform, options, options.services),
    authenticate: options.authenticate,
    ...(options.wasValid === undefined ? {} : { wasValid: options.wasValid }),
    admission,
    logger: log.logger,
    clock,
    turns: platform.runtime.turns,
    random,
    observe: observeRequest(platform),
    refused: httpMetrics.refused,
    limits: limitsOf(options, log),
    trustedProxies: options.trustedProxies,
    isBehindProxy: options.isBehindProxy ?? false,
    rates: options.rates,
    notStarted: untilStarted(options.missing),
    ...(options.tls === undefined ? {} : { tls: options.tls.first.files }),
  });
  httpMetrics.observe(app.load);
  const scraped = await withListenErrors(options.metricsListen, '--metrics-listen', () =>
    serveMetrics(options.metricsListen, { slices: () => allSlices(platform, options) }, log.logger),
  );
  const taken = await withListenErrors(options.listen, '--listen', () => app.listen(options.listen));
  // Last: an answer to a probe says that the API itself listens.
  const probes = await serveProbesOf(platform, options);
  const unwatch = options.tls === undefined ? undefined : followTls(platform, app, options.tls);
  const stop = async (): Promise<void> => {
    const { drainMs = DRAIN_MS } = options;
    const end = clock.monotonic() + drainMs;
    const cut = await app.drain(drainMs);
    if (cut > 0) log.logger.warn('connections were cut', { connections: cut });
    // A caller that has gone leaves a run behind. That run ends like any other.
    const isOver = (): boolean => admission.inFlight() === 0 || clock.monotonic() >= end;
    await until(isOver, clock, { everyMs: POLL_MS }, stopping.signal);
    stopping.abort();
    await Promise.all([background, scraped.close(), probes?.close(), unwatch?.()]);
  };
  const metricsUrl = `${urlOf({ ...options.metricsListen, port: scraped.port })}/metrics`;
  const { probesListen } = options;
  const probesUrl = probes && probesListen ? urlOf({ ...probesListen, port: probes.port }) : undefined;
  return { url: urlOf(taken, app.scheme), metricsUrl, probesUrl, stop };
}
