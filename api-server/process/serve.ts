import { observeCertificate } from '../../adapters/telemetry/metrics.ts';
import { serveMetrics } from '../../adapters/telemetry/serve-metrics.ts';
import type { Authenticate } from '../http/authorise.ts';
import { createApp, type App } from '../http/server.ts';
import { sweepUntil } from '../runtime/sweeper.ts';
import { claim, listen, urlOf, type ListenAddress } from './listen.ts';
import type { Platform } from './platform.ts';
import { createTlsFollower, watchTls, type ServerTls, type TlsPaths } from './tls-files.ts';
import { observeRequest, routesOf, type RouteParts } from './routes.ts';

export interface ServeOptions extends RouteParts {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly authenticate: Authenticate;
  /** Certificate and key, and the files that they come from; absent: plain HTTP. */
  readonly tls?: { readonly paths: TlsPaths; readonly first: ServerTls };
}

/** The HTTP side of a process. */
export interface Served {
  readonly url: string;
  readonly metricsUrl: string;
  /** No new work, then runs in flight end, then the listeners close; the platform stays open. */
  readonly stop: () => Promise<void>;
}

// Longer than the longest run (120 s). A second signal stops at once: the sweeper of the next start closes what is left.
const DRAIN_MS = 125_000;
const POLL_MS = 20;

/** What is missing until nothing is, for once: what is lost later is told by the routes that need it. */
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

/** Answers requests when it returns. @throws StartError what the person who starts it can mend */
export async function serve(platform: Platform, options: ServeOptions): Promise<Served> {
  const { clock, log, random, admission, metrics } = platform;
  const stopping = new AbortController();
  // What it closes is signed.
  const sweeper = platform.logHead
    .ready(stopping.signal)
    .then((mayLog) => (mayLog ? sweepUntil(platform.runtime, stopping.signal) : undefined));
  const app = createApp({
    routes: await routesOf(platform, options),
    authenticate: options.authenticate,
    admission,
    logger: log.logger,
    clock,
    random,
    observe: observeRequest(platform),
    notStarted: untilStarted(options.missing),
    ...(options.tls === undefined ? {} : { tls: options.tls.first.files }),
  });
  const scraped = await claim(options.metricsListen, '--metrics-listen', () =>
    serveMetrics(options.metricsListen, metrics, log.logger),
  );
  const url = await claim(options.listen, '--listen', () => listen(app, options.listen));
  const unwatch = options.tls === undefined ? undefined : followTls(platform, app, options.tls);
  const stop = async (): Promise<void> => {
    const until = clock.monotonic() + DRAIN_MS;
    const cut = await app.drain(DRAIN_MS);
    if (cut > 0) log.logger.warn('connections were cut', { connections: cut });
    // A caller who has gone away leaves a run behind, which ends like any other.
    while (admission.inFlight() > 0 && clock.monotonic() < until) await clock.sleep(POLL_MS, stopping.signal);
    stopping.abort();
    await Promise.all([sweeper, scraped.close(), unwatch?.()]);
  };
  return { url, metricsUrl: `${urlOf(options.metricsListen.host, scraped.port)}/metrics`, stop };
}
