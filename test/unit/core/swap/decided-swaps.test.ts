import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../../core/failover/decide.ts';
import { evidenceOf } from '../../../../core/failover/evidence.ts';
import { withEvidence } from '../../../../core/failover/record-swap.ts';
import { replayEvidence } from '../../../../core/failover/replay-evidence.ts';
import { newStatus } from '../../../../core/failover/status-codec.ts';
import type { ProviderMetrics, WindowMetrics } from '../../../../core/failover/metrics.ts';
import type { FailoverInput, FailoverStatus, SwapRecord } from '../../../../core/failover/types.ts';
import { isSwapReceipt } from '../../../../core/receipt/swap-record-schema.ts';
import { swapReceiptOf } from '../../../../core/swap/swap-receipt-of.ts';
import { aSwappedOrb, slowInput, SWAP_AT, swapOrigin, swapReceiptId } from '../../../support/a-swap.ts';

const minting = {
  issuer: 'https://orbs.example',
  now: SWAP_AT,
  evaluator: { id: 'orb-operator/1.4.0', instance: 'orb-operator' },
  previousReceiptId: null,
};

/** How a provider does for a while; fractions, as Prometheus gives them. */
const conduct = fc.record({
  ms: fc.double({ min: 50, max: 5000, noNaN: true }),
  badRatio: fc.constantFrom(0, 0, 0, 0.3, 1),
  probeMs: fc.double({ min: 50, max: 500, noNaN: true }),
  isProbed: fc.boolean(),
});
type Conduct = typeof conduct extends fc.Arbitrary<infer Value> ? Value : never;

const ok = (value: number) => ({ kind: 'ok', value }) as const;
const none = { kind: 'none', why: 'absent' } as const;

function metricsOf({ ms, badRatio, probeMs, isProbed }: Conduct, n: number, now: number): ProviderMetrics {
  const window = (times: number): WindowMetrics => ({
    n: n * times,
    p50: n === 0 ? none : ok(ms),
    pq: n === 0 ? none : ok(ms * 2.3),
    attempts: n * times,
    bad: n * times * badRatio,
  });
  const probe = { p50: ok(probeMs), n: 10.3, ok: 10.1, streak: 10, lastAt: now - 9000 };
  return {
    windows: { '2m': window(1), '5m': window(2.5), '10m': window(5) },
    base: ok(400.4),
    baseN: 3000.5,
    probe: isProbed ? probe : { p50: none, n: 0, ok: 0, streak: 0, lastAt: null },
    transportErrors2m: 0,
    successes2m: n * (1 - badRatio),
    breaker: 'closed',
  };
}

interface Phase {
  readonly a: Conduct;
  readonly b: Conduct;
}

/** Both providers at a moment: traffic goes to the active one, and some to that of a ramp. */
function bothAt({ a, b }: Phase, now: number, persisted: FailoverStatus) {
  const share = persisted.ramp === null ? 0 : 30.5;
  const [atA, atB] = persisted.activeProvider === 'sendgrid' ? [120.7, share] : [share, 120.7];
  return { sendgrid: metricsOf(a, atA, now), mailgun: metricsOf(b, atB, now) };
}

/** An hour of decisions, each on the status of the one before. @returns every swap with its evidence */
function anHour(phases: readonly Phase[], isLatency: boolean): readonly SwapRecord[] {
  const config: FailoverInput['config'] = { ...slowInput.config, strategy: isLatency ? 'latency' : 'priority' };
  const swaps: SwapRecord[] = [];
  let persisted = newStatus('sendgrid', SWAP_AT);
  let { memory } = slowInput;
  const ticks = phases.flatMap((phase) => Array.from({ length: 240 / phases.length }, () => phase));
  for (const [tick, phase] of ticks.entries()) {
    const now = SWAP_AT + tick * 15_000;
    const metrics = {
      state: 'fresh',
      evaluatedAt: now,
      ageMs: 8000.5,
      providers: bothAt(phase, now, persisted),
    } as const;
    const receiptId = swapReceiptId(tick);
    const input: FailoverInput = {
      ...slowInput,
      now,
      random: tick / 240,
      receiptId,
      config,
      metrics,
      persisted,
      memory,
    };
    const output = decide(input);
    const text = evidenceOf(output, input, swapOrigin);
    const next = text === null ? output.next : withEvidence(output.next, text);
    if (next.swapSeq > persisted.swapSeq) swaps.push(...next.history.slice(-1));
    persisted = next;
    memory = output.memory;
  }
  return swaps;
}

describe('receipts of swaps that were decided', () => {
  it('hold evidence that is of their schema, and from which the swap follows', () => {
    const phases = fc.array(fc.record({ a: conduct, b: conduct }), { minLength: 1, maxLength: 6 });
    const rules = new Set<string>();
    fc.assert(
      fc.property(phases, fc.boolean(), (given, isLatency) => {
        for (const swap of anHour(given, isLatency)) {
          const record = swapReceiptOf(swap, aSwappedOrb([swap]), minting);
          expect(record.evidence, String(swap.evidence)).not.to.equal(null);
          expect(isSwapReceipt(record)).to.equal(true);
          expect(replayEvidence(record.evidence, record.swap)).to.have.property('follows', true);
          rules.add(swap.rule);
        }
      }),
      { numRuns: 60 },
    );
    expect(rules.size).to.be.greaterThan(0);
  });
});
