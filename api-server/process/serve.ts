import { serveMetrics } from '../../adapters/telemetry/serve-metrics.ts';
import type { Authenticate } from '../http/authorise.ts';
import { createApp, type TlsFiles } from '../http/server.ts';
import { sweepUntil } from '../runtime/sweeper.ts';
import { claim, listen, urlOf, type ListenAddress } from './listen.ts';
import type { Platform } from './platform.ts';
import { observeRequest, routesOf, type RouteParts } from './routes.ts';

export interface ServeOptions extends RouteParts {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly authenticate: Authenticate;
  /** Certificate and key; absent: plain HTTP. */
  readonly tls?: TlsFiles;
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

/** Answers requests when it returns. @throws StartError what the person who starts it can mend */
export async function serve(platform: Platform, options: ServeOptions): Promise<Served> {
  const { clock, log, random, admission, metrics } = platform;
  const stopping = new AbortController();
  const sweeper = sweepUntil(platform.runtime, stopping.signal);
  const app = createApp({
    routes: await routesOf(platform, options),
    authenticate: options.authenticate,
    admission,
    logger: log.logger,
    clock,
    random,
    observe: observeRequest(platform),
    notStarted: untilStarted(options.missing),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const scraped = await claim(options.metricsListen, '--metrics-listen', () =>
    serveMetrics(options.metricsListen, metrics, log.logger),
  );
  const url = await claim(options.listen, '--listen', () => listen(app, options.listen));
  const stop = async (): Promise<void> => {
    const until = clock.monotonic() + DRAIN_MS;
    const cut = await app.drain(DRAIN_MS);
    if (cut > 0) log.logger.warn('connections were cut', { connections: cut });
    // A caller who has gone away leaves a run behind, which ends like any other.
    while (admission.inFlight() > 0 && clock.monotonic() < until) await clock.sleep(POLL_MS, stopping.signal);
    stopping.abort();
    await Promise.all([sweeper, scraped.close()]);
  };
  return { url, metricsUrl: `${urlOf(options.metricsListen.host, scraped.port)}/metrics`, stop };
}
