import { expect } from 'chai';
import fc from 'fast-check';
import type { Ledger, ReceiptQuery } from '../../../../../adapters/ledger/port.ts';
import type { RunOutcome } from '../../../../../core/receipt/record.ts';
import { aFinish, aStart, LEDGER_NOW, receiptIdOf, runIdOf } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

interface Issued {
  readonly number: number;
  /** Ms after `LEDGER_NOW`. */
  readonly ms: number;
  readonly orbId: string;
  readonly outcome: RunOutcome;
}

const ORBS = ['acme.echo@1.0.0', 'globex.geo@2.0.0'];
const OUTCOMES: readonly RunOutcome[] = ['success', 'timeout'];

const record = ({ number, ms, orbId, outcome }: Issued, ledger: Ledger, tenant = 'acme'): Promise<unknown> =>
  ledger.recordRun(
    aStart(number, { tenant }),
    aFinish(number, { tenant }, { issuedAt: LEDGER_NOW + ms, orbId, outcome }),
  );

const anIssued = (number: number, ms: number): Issued => ({ number, ms, orbId: 'acme.echo@1.0.0', outcome: 'success' });

/** Ids of all pages of a query, newest first, as the port says. */
async function allPages(ledger: Ledger, query: ReceiptQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await ledger.receipts('acme', { ...query, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.items.length).to.be.at.most(query.limit);
    ids.push(...page.items.map(({ receiptId }) => receiptId));
    cursor = page.nextCursor;
  }
  return ids;
}

const someIssued = fc
  .array(fc.record({ ms: fc.nat(5), orbId: fc.constantFrom(...ORBS), outcome: fc.constantFrom(...OUTCOMES) }), {
    maxLength: 12,
  })
  .map((rows) => rows.map((row, number) => ({ ...row, number })));
const someQuery = fc.record(
  {
    limit: fc.integer({ min: 1, max: 5 }),
    orbId: fc.constantFrom(...ORBS),
    outcome: fc.constantFrom(...OUTCOMES),
    since: fc.integer({ min: LEDGER_NOW - 1, max: LEDGER_NOW + 6 }),
    until: fc.integer({ min: LEDGER_NOW - 1, max: LEDGER_NOW + 6 }),
  },
  { requiredKeys: ['limit'] },
);

const asked = ({ orbId, outcome, since = 0, until = Number.MAX_SAFE_INTEGER }: ReceiptQuery) => {
  return (row: Issued): boolean => {
    const at = LEDGER_NOW + row.ms;
    return (orbId ?? row.orbId) === row.orbId && (outcome ?? row.outcome) === row.outcome && at >= since && at < until;
  };
};

export function receiptContract({ it }: Contract): void {
  describe('receipts', () => {
    it('gives a receipt to its own tenant only, by its id and by its run', async ({ ledger }) => {
      await record(anIssued(1, 0), ledger);
      expect((await ledger.receipt('acme', receiptIdOf(1)))?.receiptId).to.equal(receiptIdOf(1));
      const foreign = [ledger.receipt('globex', receiptIdOf(1)), ledger.receiptOfRun('globex', runIdOf(1))];
      expect(await Promise.all(foreign)).to.deep.equal([undefined, undefined]);
      expect((await ledger.receipts('globex', { limit: 10 })).items).to.deep.equal([]);
      expect(await ledger.receipt('acme', receiptIdOf(2))).to.equal(undefined);
    });

    it('shows every receipt that a query asks for exactly once over its pages, newest first', async ({ ledger }) => {
      // One ledger, a new tenant a round: what another tenant has must not show.
      let rounds = 0;
      const property = fc.asyncProperty(someIssued, someQuery, async (rows, query) => {
        rounds += 1;
        const base = rounds * 100;
        const tenant = `tenant-${rounds}`;
        const numbered = rows.map((row) => ({ ...row, number: base + row.number }));
        await Promise.all(numbered.map((row) => record(row, ledger, tenant)));
        const pages = await allPages({ ...ledger, receipts: (_, some) => ledger.receipts(tenant, some) }, query);
        const expected = numbered
          .filter(asked(query))
          .toSorted((one, other) => other.ms - one.ms || other.number - one.number)
          .map(({ number }) => receiptIdOf(number));
        expect(pages).to.deep.equal(expected);
      });
      await fc.assert(property, { numRuns: 60 });
    });

    it('goes on after the last row of a page though newer receipts came meanwhile', async ({ ledger }) => {
      await Promise.all([1, 2, 3].map((number) => record(anIssued(number, number), ledger)));
      const first = await ledger.receipts('acme', { limit: 2 });
      await record(anIssued(4, 4), ledger);
      const second = await ledger.receipts('acme', { limit: 2, cursor: first.nextCursor ?? '' });
      const ids = [...first.items, ...second.items].map(({ receiptId }) => receiptId);
      expect(ids).to.deep.equal([3, 2, 1].map(receiptIdOf));
      expect(second.nextCursor).to.equal(null);
    });

    const refusedQueries: readonly (readonly [string, ReceiptQuery])[] = [
      ['no receipts', { limit: 0 }],
      ['more than 200 receipts', { limit: 201 }],
      ['half a receipt', { limit: 1.5 }],
      ['an empty cursor', { limit: 1, cursor: '' }],
      ['a cursor without a place', { limit: 1, cursor: 'MTIz' }],
      ['a cursor that is no base64url', { limit: 1, cursor: '====' }],
    ];
    it('refuses a page that can not be', async ({ ledger }) => {
      for (const [why, query] of refusedQueries) {
        expect(await refusal(ledger.receipts('acme', query)), why).to.be.instanceOf(RangeError);
      }
    });
  });
}
