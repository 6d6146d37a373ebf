import { expect } from 'chai';
import type { Ledger, ReceiptWindow } from '../../../../../adapters/ledger/port.ts';
import type { RunOutcome } from '../../../../../core/receipt/record.ts';
import { jcs } from '../../../../../core/json/jcs.ts';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { aFinish, aStart, LEDGER_NOW, receiptIdOf } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const ORB = 'acme.echo@1.0.0';
const MINUTE = 60_000;
const DAY = 86_400_000;
const WINDOW: ReceiptWindow = { orbId: ORB, from: LEDGER_NOW, until: LEDGER_NOW + 10 * MINUTE, except: [] };

interface Run {
  readonly tenant: string;
  readonly outcome: RunOutcome;
  readonly at?: number;
  readonly durationMs?: number;
  readonly orbId?: string;
}

/** Each run with the entry of a published Orb, by a caller that has the name of its tenant. */
async function store(ledger: Ledger, runs: readonly Run[]): Promise<void> {
  for (const [number, { tenant, outcome, at = LEDGER_NOW, durationMs = 10, orbId = ORB }] of runs.entries()) {
    const receiptId = receiptIdOf(number);
    const entry = jcs({
      v: 1,
      kind: 'receipt',
      receipt_id: receiptId,
      orb_id: orbId,
      manifest_digest: `sha256:${'a'.repeat(64)}`,
      caller_tag: tenant,
      self: false,
      outcome,
      duration_ms: durationMs,
      slo_ms: 100,
      finished_at: new Date(at).toISOString(),
      jws_sha256: sha256Hex(aFinish(number).receipt.jws),
    });
    await ledger.startRun(aStart(number, { tenant, startedAt: at }));
    await ledger.finishRun(aFinish(number, { tenant }, { orbId, outcome, issuedAt: at, entry }));
  }
}

const NOTHING = { runs: 0, failed: 0, slow: 0 };

export function receiptTotalContract({ it }: Contract): void {
  describe('totals of receipts', () => {
    it('are nothing without a run', async ({ ledger }) => {
      const expected = { ...NOTHING, callers: 0, worstShare: 0, baseline: NOTHING };
      expect(await ledger.receiptTotals(WINDOW)).to.deep.equal(expected);
    });

    it('count runs of all tenants but some, of one Orb and time', async ({ ledger }) => {
      await store(ledger, [
        { tenant: 'acme', outcome: 'success' },
        { tenant: 'acme', outcome: 'orb_error' },
        { tenant: 'globex', outcome: 'timeout' },
        { tenant: 'globex', outcome: 'success', durationMs: 101 },
        { tenant: 'globex', outcome: 'caller_error' },
        { tenant: 'tenant-1', outcome: 'success', orbId: 'acme.other@1.0.0' },
        { tenant: 'tenant-2', outcome: 'orb_error' },
        { tenant: 'tenant-3', outcome: 'success', at: LEDGER_NOW - 1 },
        { tenant: 'tenant-3', outcome: 'success', at: WINDOW.until },
      ]);
      const found = await ledger.receiptTotals({ ...WINDOW, except: ['tenant-2'] });
      expect(found).to.deep.include({ runs: 4, failed: 2, slow: 1, callers: 2 });
    });

    it('tell the worst five minutes', async ({ ledger }) => {
      const runs = Array.from({ length: 30 }, (_, index): Run => {
        const isBad = index >= 20;
        const at = LEDGER_NOW + (isBad ? 6 * MINUTE : 0);
        return { tenant: 'acme', outcome: isBad && index % 5 !== 0 ? 'orb_error' : 'success', at };
      });
      await store(ledger, runs);
      expect((await ledger.receiptTotals(WINDOW)).worstShare).to.equal(0.8);
    });

    it('compare with the 30 days before', async ({ ledger }) => {
      await store(ledger, [
        { tenant: 'acme', outcome: 'orb_error', at: LEDGER_NOW - 31 * DAY },
        { tenant: 'acme', outcome: 'orb_error', at: LEDGER_NOW - 30 * DAY },
        { tenant: 'globex', outcome: 'success', at: LEDGER_NOW - DAY, durationMs: 101 },
        { tenant: 'globex', outcome: 'success', at: LEDGER_NOW - DAY, orbId: 'acme.echo@1.9.0' },
        { tenant: 'globex', outcome: 'success', at: LEDGER_NOW },
      ]);
      const { baseline } = await ledger.receiptTotals(WINDOW);
      expect(baseline).to.deep.equal({ runs: 3, failed: 1, slow: 1 });
    });

    it('refuse more than 25 hours', async ({ ledger }) => {
      const asked = ledger.receiptTotals({ ...WINDOW, until: LEDGER_NOW + 25 * 60 * MINUTE + 1 });
      expect(await refusal(asked)).to.be.an.instanceOf(RangeError);
    });
  });
}
