import { readFile } from 'node:fs/promises';
import { serveMetrics } from '../../adapters/http/serve-metrics.ts';
import { randomSource } from '../../adapters/keys/primitives.ts';
import { createPlatformClient, type PlatformClient } from '../../adapters/platform-api/client.ts';
import { addressesOf } from '../../adapters/platform-api/reach.ts';
import { withListenErrors } from '../../adapters/process/listen.ts';
import { packageRoot } from '../../adapters/process/package-root.ts';
import { openRoundJournal } from '../../adapters/round-journal/round-journal.ts';
import { createProcessMetrics, type ProcessMetrics } from '../../adapters/telemetry/process-metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { urlOf } from '../../core/network/listen-address.ts';
import { versionOf } from '../process/version.ts';
import { newProbeMemory } from '../status/probes/probe.ts';
import { makeRound, type RoundFound, type RoundMakerParts } from '../status/round-maker.ts';
import { RoundLoop, type FullRound } from '../status/round-loop.ts';
import { RoundTeller } from '../status/round-teller.ts';
import { createProbeObserver, observeStatus } from '../status/status-metrics.ts';
import { ApiHistory } from './api-history.ts';
import { createControls } from './controls.ts';
import { LocalStatus } from './local-status.ts';
import type { ProberSettings } from './settings.ts';
import { serveStatus, type ProberTools } from './serve-status.ts';
import { createTeller } from './tell-api.ts';
import { untilApiAnswers } from './until-api-answers.ts';

/** A running prober; ready after its first round. */
export interface RunningProber {
  readonly url: string;
  readonly providerUrl: string;
  readonly metricsUrl: string;
  readonly missing: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** Rounds of one request: with the checks of the newest they stay below 64 KiB. */
const AT_ONCE = 100;
/** A round every 30 seconds for 30 days. */
const MOST_WAITING = 86_400;
const MAX_METRICS_BYTES = 64 * 1024 * 1024;
const REFRESH_MS = 10_000;

const trimmed = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

/** A Secret with a certificate of a public authority has no file of authorities. */
const authoritiesIn = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });

function apiClient({ api, tokenFile, apiCa }: ProberSettings, clock: Clock): PlatformClient {
  const ca = apiCa === undefined ? {} : { ca: () => authoritiesIn(apiCa) };
  return createPlatformClient({ origin: api, token: () => trimmed(tokenFile), ...ca, clock });
}

/** Clients of the metrics of all operators: who leads changes, and so do their addresses. */
function operatorClients({ operatorMetrics }: ProberSettings, clock: Clock): Pick<RoundMakerParts, 'loops'> {
  if (operatorMetrics === undefined) return {};
  const { host, port } = operatorMetrics;
  return {
    loops: async () => {
      const addresses = await addressesOf(host, AbortSignal.timeout(REFRESH_MS)).catch(() => []);
      return addresses.map((address) =>
        createPlatformClient({ origin: urlOf({ host: address, port }), clock, maxBytes: MAX_METRICS_BYTES }),
      );
    },
  };
}

function roundParts(
  settings: ProberSettings,
  { clock }: ProberTools,
  api: PlatformClient,
): Omit<RoundMakerParts, 'observer'> {
  const { sourceSecretFile: secret, namespace: platformNamespace, deadlineMs } = settings;
  const controls = createControls(settings.controls, clock);
  return {
    api,
    metrics: createPlatformClient({ origin: settings.apiMetrics, clock, maxBytes: MAX_METRICS_BYTES }),
    ...operatorClients(settings, clock),
    ...(secret === undefined ? {} : { sourceSecret: () => trimmed(secret) }),
    ...(controls === undefined ? {} : { controls }),
    platformNamespace,
    clock,
    random: randomSource(),
    memory: newProbeMemory(),
    deadlineMs,
  };
}

interface Parts {
  readonly local: LocalStatus;
  readonly metrics: ProcessMetrics;
  /** Resolves when the first round may begin. */
  readonly ready: () => Promise<void>;
  readonly make: (signal: AbortSignal) => Promise<RoundFound>;
  /** Shows rounds at once, and tells them meanwhile. */
  readonly finished: (rounds: readonly FullRound[]) => void;
  /** Resolves when nothing is told any more. */
  readonly settled: () => Promise<void>;
}

/** Everything but what listens. Rounds that an earlier process could not tell are shown, and told first. */
async function openParts(settings: ProberSettings, tools: ProberTools, signal: AbortSignal): Promise<Parts> {
  const { clock, log } = tools;
  const { logger } = log;
  const { intervalMs, identity } = settings;
  const api = apiClient(settings, clock);
  const local = new LocalStatus({ clock, history: new ApiHistory(api), intervalMs });
  const journal = openRoundJournal(settings.journal, logger);
  const left = await journal.read();
  local.take(left);
  const telling = { atOnce: AT_ONCE, mostWaiting: MOST_WAITING, changed: journal.write };
  const teller = new RoundTeller({ tell: createTeller(api, identity, signal), logger, ...telling }, left);
  const metrics = createProcessMetrics(versionOf(packageRoot()), { hasLag: false });
  observeStatus(metrics.registry, local.memory, clock);
  const observer = createProbeObserver(metrics.registry, () => teller.waiting);
  const parts = { ...roundParts(settings, tools, api), observer };
  let following: Promise<void> | undefined;
  return {
    local,
    metrics,
    // What waits in the journal says that the API was there, and an outage goes on.
    ready: async () => (left.length > 0 ? undefined : untilApiAnswers(api, clock, signal)),
    make: (ending) => makeRound(parts, ending),
    finished: (rounds) => {
      local.take(rounds);
      const told = teller.add(rounds);
      following ??= told
        .then(() => local.refresh(teller.waiting === 0, AbortSignal.any([signal, AbortSignal.timeout(REFRESH_MS)])))
        .finally(() => {
          following = undefined;
        });
    },
    settled: async () => following,
  };
}

/** Starts the prober: it listens when this returns, and the first round begins when the API answers. @throws StartError */
export async function startProber(settings: ProberSettings, tools: ProberTools): Promise<RunningProber> {
  const { clock, log } = tools;
  const { metricsListen, providerListen, intervalMs } = settings;
  const stopping = new AbortController();
  const { local, metrics, settled, ready, ...rounds } = await openParts(settings, tools, stopping.signal);
  const missing = (): readonly string[] => (local.memory.lastEnd() === null ? ['first-round'] : []);
  const served = await serveStatus(settings, tools, { local, missing });
  const scraped = await withListenErrors(metricsListen, '--metrics-listen', () =>
    serveMetrics(metricsListen, { slices: () => metrics.slices() }, log.logger),
  );
  const loop = new RoundLoop({ ...rounds, clock, logger: log.logger, intervalMs });
  const running = ready().then(() => loop.run(stopping.signal));
  return {
    url: served.url,
    providerUrl: urlOf({ ...providerListen, port: served.provider.port }, served.scheme),
    metricsUrl: `${urlOf({ ...metricsListen, port: scraped.port })}/metrics`,
    missing,
    stop: async () => {
      stopping.abort();
      await running;
      await settled();
      await Promise.all([served.close(), scraped.close()]);
      await log.logger.flush();
    },
  };
}
