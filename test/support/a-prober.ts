import { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import type { OrbName, ProberDeps } from '../../api-server/probes/prober.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { createTestRuntime, type RuntimeOptions, type TestRuntime } from './a-runtime.ts';
import { newStatus } from '../../core/failover/status-codec.ts';
import type { FakeClock } from './fake-clock.ts';
import { recordLog, type RecordedLog } from './kube/runtime-recorders.ts';
import type { OrbOptions } from './orbs.ts';

/** A process that can probe, with a dialer under control. */
export interface ProbingProcess {
  readonly world: TestRuntime;
  readonly metrics: OrbMetrics;
  readonly log: RecordedLog;
  /** `provider` of each Event. */
  readonly exhausted: readonly string[];
  readonly deps: Omit<ProberDeps, 'isHolder'>;
  /** Hosts of the probes since the last call, `b` for `b.example.com`. */
  readonly probed: () => string;
}

const hostOf = (provider: string): string => `https://${provider}.example.com`;

/** Orb options of providers a (active), b and c, each with a safe method and its own secret. */
export function swapping(change: {
  readonly swap?: Readonly<Record<string, unknown>>;
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly secrets?: boolean;
}): Partial<OrbOptions> {
  const executionOf = (provider: string): Readonly<Record<string, unknown>> => ({
    method: 'GET',
    body_template: undefined,
    url: hostOf(provider),
    headers: change.secrets === true ? { 'x-key': `{{orbiset.secrets.${provider.toUpperCase()}}}` } : {},
    ...change.execution,
  });
  const others = Object.fromEntries(['b', 'c'].map((name) => [name, { execution: executionOf(name) }]));
  const swap = { primary: 'a', fallbacks: ['b', 'c'], ...change.swap };
  return { execution: executionOf('a'), manifest: { provider: 'a', providers: others, swap_config: swap } };
}

/** A process without Orbs, except those that the test adds. */
export function aProbingProcess(
  ledger: RuntimeOptions['ledger'],
  clock: FakeClock,
  answer?: RuntimeOptions['answer'],
): ProbingProcess {
  const metrics = new OrbMetrics(clock);
  const log = recordLog();
  const parts = { metrics: { provider: metrics.provider, redactions: metrics.redactions, run: () => undefined } };
  const world = createTestRuntime({ ledger, clock, parts, ...(answer === undefined ? {} : { answer }) });
  const { runtime, catalog } = world;
  catalog.removeOrb('acme', 'acme.echo@1.0.0');
  const exhausted: string[] = [];
  const { dialer, settings, switches, failover } = runtime;
  let seen = 0;
  return {
    world,
    metrics,
    log,
    exhausted,
    deps: {
      catalog,
      dialer,
      settings,
      switches,
      failover,
      clock,
      metrics,
      random: () => 0.5,
      logger: log.logger,
      onBudgetExhausted: ({ orbId }: OrbName, provider) => void exhausted.push(`${orbId} ${provider}`),
    },
    probed: () => {
      const news = world.sent.slice(seen).map(({ url }) => new URL(url).hostname.slice(0, 1));
      seen = world.sent.length;
      return news.join('');
    },
  };
}

/** Writes to the catalogue what the operator would write. */
export function writeStatus({ world }: ProbingProcess, orbId: OrbId, change: Partial<FailoverStatus>): void {
  const entry = world.catalog.orb('acme', orbId);
  if (entry?.compiled === undefined) throw new RangeError(`no Orb ${orbId}`);
  const compiled: CompiledOrb = { ...entry.compiled, failover: { ...newStatus('a', 0), ...change } };
  world.catalog.setOrb({ ...entry, compiled, createdAt: 0 });
}
