import { expect } from 'chai';
import { FIRST_STEP, type StepMemory } from '../../../../core/failover/step.ts';
import type { MetricsSnapshot } from '../../../../core/failover/metrics.ts';
import { NO_MEMORY } from '../../../../core/failover/types.ts';
import { planFailover, type FailoverMoment, type FailoverPlan } from '../../../../core/orb/plan-failover.ts';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import { planOrb, type OrbSnapshot } from '../../../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { settle } from '../../../support/check-plan.ts';
import { aMoment } from '../../../support/failover-moment.ts';
import { busy, fresh, NOW, probed, traffic } from '../../../support/failover.ts';
import { anOrb, manifestOf, swappable } from '../../../support/kube-objects.ts';

const SCRAPE = 15_000;
const MINUTE = 60_000;
const failing = busy(traffic(0, 0, { attempts: 20, bad: 20 }));
const well = busy(traffic(100, 200));
const momentOf = (
  metrics: MetricsSnapshot,
  { now = NOW, memory = FIRST_STEP }: { readonly now?: number; readonly memory?: StepMemory } = {},
): FailoverMoment => aMoment(now, { scrapeIntervalMs: SCRAPE, evaluation: { at: now, metrics, origin: null, memory } });

const snapshotOf = (orb: KubeObject): OrbSnapshot => ({
  orb,
  duplicates: [],
  orbisets: [],
  manifest: judgeManifest(orb, []),
});
const swapping = (members: Readonly<Record<string, unknown>> = {}): KubeObject =>
  anOrb('echo', { spec: manifestOf({ ...swappable, ...members }) });

/** Judged by both managers, the one of the failover at this moment. */
function run(orb: KubeObject, moment: FailoverMoment): ReturnType<typeof settle<FailoverPlan>> {
  const judged = settle(orb, 'orb-operator', (object) => planOrb(snapshotOf(object), moment.now)).object;
  const plan = planFailover(snapshotOf(judged), moment);
  // What comes after a swap is another evaluation, so only a plan without a swap is evaluated twice.
  if (plan.swap !== undefined) {
    const status = { ...statusOf(judged), ...plan.status };
    return { object: { ...judged, status }, plan, kstatus: 'Current' };
  }
  return settle(judged, 'failover', (object) => planFailover(snapshotOf(object), moment));
}

const reasonsOf = (object: KubeObject): readonly string[] =>
  ['MetricsAvailable', 'ProvidersHealthy', 'FailedOver', 'FailoverFrozen'].flatMap(
    (type) => conditionOf(object, type)?.reason ?? [],
  );
const edited = (orb: KubeObject, members: Readonly<Record<string, unknown>>): KubeObject => ({
  ...orb,
  spec: manifestOf({ ...swappable, ...members }),
  metadata: { ...orb.metadata, generation: (orb.metadata.generation ?? 0) + 1 },
});

describe('planFailover with metrics', () => {
  it('leaves a provider that fails, and says so', () => {
    const { object, plan } = run(swapping(), momentOf(fresh({ main: failing, other: probed(200) })));
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', reason: 'hard_failure', swapSeq: 1 });
    expect(plan.swap).to.include({ from: 'main', to: 'other', receiptId: `rcpt_${NOW}` });
    expect(plan.events.map(({ reason }) => reason)).to.deep.equal(['ProviderChanged']);
    expect(reasonsOf(object)).to.deep.equal(['MetricsFresh', 'ProvidersHealthy', 'HardFailure']);
  });

  it('decides nothing on windows that hold too few scrapes, and says what to write', () => {
    const evaluated = { ...momentOf(fresh({ main: failing, other: probed(200) })), scrapeIntervalMs: MINUTE };
    const { object, plan } = run(swapping(), evaluated);
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'main' });
    expect(plan.step).to.equal(undefined);
    expect(conditionOf(object, 'MetricsAvailable')).to.include({ status: 'False', reason: 'WindowsTooShort' });
    expect(conditionOf(object, 'MetricsAvailable')?.message).to.include('spec.swap_config.latency.windows');
  });

  it('reports an outage when it is five minutes old, and when it is over', () => {
    const first = run(swapping(), momentOf(fresh({ main: well, other: probed(200) }))).object;
    const lost = { state: 'unusable', why: 'http', since: NOW } as const;
    const later = run(first, momentOf(lost, { now: NOW + 5 * MINUTE }));
    expect(later.plan.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning MetricsUnusable']);
    const back = run(later.object, momentOf(fresh({ main: well, other: probed(200) }), { now: NOW + 6 * MINUTE }));
    expect(back.plan.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Normal MetricsFresh']);
  });

  it('keeps what it said while an edit is broken, and decides nothing: the rules are not known any more', () => {
    const first = run(swapping(), momentOf(fresh({ main: failing, other: probed(200) }))).object;
    const broken = edited(first, { provider: 7 });
    const memory = { ...FIRST_STEP, rules: { ...NO_MEMORY, recovered: 11 } };
    const { object, plan } = run(broken, momentOf(fresh({ main: probed(100), other: failing }), { memory }));
    expect(plan.step).to.equal(undefined);
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', swapSeq: 1 });
    expect(reasonsOf(object)).to.deep.equal(['MetricsFresh', 'ProvidersHealthy', 'HardFailure']);
  });

  it('says nothing of metrics for an Orb without swap_config', () => {
    const { object } = run(anOrb('echo'), momentOf(fresh({ main: failing })));
    expect(reasonsOf(object)).to.deep.equal([]);
    expect(statusOf(object)['failover']).to.deep.equal({
      activeProvider: 'main',
      since: new Date(NOW).toISOString(),
      reason: 'primary',
    });
  });

  it('decides at the time of its tick, but never before what was written since', () => {
    const down = fresh({ main: failing, other: probed(200) });
    const first = run(swapping(), aMoment(NOW - MINUTE)).object;
    const atTime = (at: number): FailoverMoment => ({
      ...aMoment(NOW, { scrapeIntervalMs: SCRAPE }),
      evaluation: { at, metrics: down, origin: null, memory: FIRST_STEP },
    });
    expect(run(first, atTime(NOW - 3000)).plan.swap).to.include({ at: NOW - 3000 });
    expect(run(first, atTime(NOW - 2 * MINUTE)).plan.swap).to.include({ at: NOW - MINUTE });
    expect(run(first, atTime(NOW + MINUTE)).plan.swap).to.include({ at: NOW });
  });

  it('plans again when a freeze ends, also when there is no Prometheus any more', () => {
    const first = run(swapping(), aMoment(NOW)).object;
    const failover = {
      activeProvider: 'main',
      since: new Date(NOW).toISOString(),
      frozen: { until: new Date(NOW + MINUTE).toISOString(), reason: 'flapping' },
    };
    const { object, plan } = run({ ...first, status: { ...statusOf(first), failover } }, aMoment(NOW));
    expect(reasonsOf(object)).to.deep.equal(['NotConfigured', 'TooManySwaps']);
    expect(plan.outcome).to.include({ kind: 'requeue-after', ms: MINUTE });
    expect(reasonsOf(run(object, aMoment(NOW + MINUTE)).object)).to.deep.equal(['NotConfigured']);
  });
});
