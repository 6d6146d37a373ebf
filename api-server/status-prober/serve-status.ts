import { randomSource } from '../../adapters/keys/primitives.ts';
import { withListenErrors } from '../../adapters/process/listen.ts';
import { packageRoot } from '../../adapters/process/package-root.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { urlOf } from '../../core/network/listen-address.ts';
import { createApp, type App } from '../http/server.ts';
import { createTlsFollower, readTls, watchTls, type ServerTls } from '../process/tls-files.ts';
import { versionOf } from '../process/version.ts';
import { healthRoutes } from '../services/health/routes.ts';
import { publicRoutes } from '../services/status/public-routes.ts';
import { startCanaryProvider, type CanaryProvider } from './canary-provider.ts';
import type { LocalStatus } from './local-status.ts';
import type { ProberSettings } from './settings.ts';

export interface ProberTools {
  readonly clock: Clock;
  readonly log: ProcessLog;
}

const DRAIN_MS = 5000;

interface Served {
  readonly scheme: App['scheme'];
  readonly url: string;
  readonly provider: CanaryProvider;
  readonly close: () => Promise<void>;
}

/** Serves the pages and the canary's provider; both use a changed certificate. @throws StartError */
export async function serveStatus(
  settings: ProberSettings,
  { clock, log }: ProberTools,
  { local, missing }: { readonly local: LocalStatus; readonly missing: () => readonly string[] },
): Promise<Served> {
  const { listen, providerListen, tls, isBehindTlsProxy } = settings;
  const first: ServerTls | undefined = tls === undefined ? undefined : await readTls(tls);
  const health = { version: versionOf(packageRoot()), clock, missing };
  const app = createApp({
    routes: [...publicRoutes(local.pages), ...healthRoutes(health)],
    authenticate: () => ({ kind: 'unauthenticated' }),
    admission: { admit: () => ({ kind: 'refused', code: 'overloaded' }), inFlight: () => 0 },
    logger: log.logger,
    clock,
    random: randomSource(),
    observe: () => undefined,
    isBehindProxy: isBehindTlsProxy,
    ...(first === undefined || isBehindTlsProxy ? {} : { tls: first.files }),
  });
  const taken = await withListenErrors(listen, '--listen', () => app.listen(listen));
  const provider = await withListenErrors(providerListen, '--provider-listen', () =>
    startCanaryProvider(providerListen, first?.files),
  );
  const use: App['useTls'] = (files) => {
    if (!isBehindTlsProxy) app.useTls(files);
    provider.useTls(files);
  };
  const unwatch =
    tls === undefined || first === undefined
      ? undefined
      : watchTls(tls, createTlsFollower(tls, first, { logger: log.logger, use }));
  return {
    scheme: app.scheme,
    url: urlOf(taken, app.scheme),
    provider,
    close: async () => {
      await app.drain(DRAIN_MS);
      await Promise.all([provider.close(), unwatch?.()]);
    },
  };
}
