import { expect } from 'chai';
import type { Ledger, RecordedRunQuery } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aDecision, aFinishPolicy, aStartPolicy, someFacts } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const ALL: RecordedRunQuery = { from: 0, until: Number.MAX_SAFE_INTEGER, limit: 1000 };

async function store(ledger: Ledger): Promise<void> {
  const response = someFacts({ phase: 'Response', provider: 'main', facts: '{"response":{"status":200}}' });
  const policy = aStartPolicy(1, { facts: [someFacts()] });
  await ledger.startRun(aStart(1, { policy }));
  await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ facts: [response] }) }));
  await ledger.startRun(aStart(2));
  await ledger.finishRun(aFinish(2));
  await ledger.startRun(aStart(3));
}

export function recordedRunContract({ it }: Contract): void {
  describe('recorded runs', () => {
    it('are receipts with their entries, decisions and facts, oldest first', async ({ ledger }) => {
      await store(ledger);
      const rows = await ledger.recordedRuns('acme', ALL);
      const { receipt } = aFinish(1);
      const stored = await ledger.receipt('acme', receipt.receiptId);
      expect(rows.map(({ receiptId }) => receiptId)).to.deep.equal([receipt.receiptId, aFinish(2).receipt.receiptId]);
      const [header, payload = '', signature] = stored?.jws.split('.') ?? [];
      const { orbiset, caller, json } = aDecision(1);
      const facts = await ledger.runFacts('acme', aStart(1).runId);
      expect(rows[0]).to.deep.equal({
        receiptId: receipt.receiptId,
        orbId: receipt.orbId,
        issuedAt: receipt.issuedAt,
        header,
        payload: Buffer.from(payload, 'base64url').toString('utf8'),
        signature,
        entry: receipt.entry,
        decision: { orbiset, caller, json, facts },
      });
      expect([facts.length, rows[1]?.decision]).to.deep.equal([2, null]);
    });

    it('are read slice by slice, in a window, for their tenant', async ({ ledger }) => {
      await store(ledger);
      const [first] = await ledger.recordedRuns('acme', { ...ALL, limit: 1 });
      const after = { issuedAt: first?.issuedAt ?? 0, receiptId: first?.receiptId ?? '' };
      const rest = await ledger.recordedRuns('acme', { ...ALL, after });
      expect(rest.map(({ receiptId }) => receiptId)).to.deep.equal([aFinish(2).receipt.receiptId]);
      expect(await ledger.recordedRuns('globex', ALL)).to.deep.equal([]);
      expect(await ledger.recordedRuns('acme', { ...ALL, until: Math.min(LEDGER_NOW, after.issuedAt) })).to.deep.equal(
        [],
      );
      expect(await ledger.recordedRuns('acme', { ...ALL, from: rest[0]?.issuedAt ?? 0 })).to.deep.equal(
        rest[0]?.issuedAt === after.issuedAt ? [first, ...rest] : rest,
      );
    });

    it('are read up to a thousand in a slice', async ({ ledger }) => {
      for (const limit of [0, 1001, 1.5])
        expect(await refusal(ledger.recordedRuns('acme', { ...ALL, limit }))).to.be.instanceOf(RangeError);
    });
  });
}
