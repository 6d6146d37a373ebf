import { expect } from 'chai';
import type { DecisionQuery, Ledger, StartPolicy } from '../../../../../adapters/ledger/port.ts';
import { HOLE, SEAM } from '../../../../../core/json/shared-text.ts';
import { aFinish, aStart, LEDGER_NOW, receiptIdOf, runIdOf } from '../../../../support/ledger-rows.ts';
import {
  aDecision,
  aDenial,
  aFinishPolicy,
  aStartPolicy,
  decisionIdOf,
  LEDGER_DAY,
  someFacts,
} from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const DAY_MS = 86_400_000;

const idsOf = async (ledger: Ledger, query: Partial<DecisionQuery> = {}): Promise<readonly string[]> =>
  (await ledger.decisions('acme', { limit: 200, ...query })).items.map(({ decisionId }) => decisionId);

const REQUEST = someFacts({ phase: 'Request', provider: 'mail-a', salt: Buffer.alloc(16, 255), facts: '{"ž":"🐎"}' });
const RESPONSE = someFacts({ phase: 'Response', provider: 'mail-a', facts: '{"response":{"status":200}}' });

/** JSON texts of two runs, with what they share. */
const SHARED = { shared: `{"decision":"allow",${SEAM}"of":"é","number":${HOLE},"run":${HOLE}}`, own: ['1', '"run_1"'] };
const OTHER = { ...SHARED, own: ['22', '"run_2"'] };

const refusedStarts: readonly (readonly [string, StartPolicy])[] = [
  ['whose id is taken', aStartPolicy(1)],
  ['made at no whole millisecond', aStartPolicy(2, { decision: aDecision(2, { at: 0.5 }) })],
  ['without a record', aStartPolicy(2, { decision: aDecision(2, { json: '' }) })],
  ['beyond 64 KiB', aStartPolicy(2, { decision: aDecision(2, { json: `"${'é'.repeat(32_768)}"` }) })],
  ['with fewer parts than holes', aStartPolicy(2, { decision: aDecision(2, { json: { ...SHARED, own: ['1'] } }) })],
  ['shared without a hole', aStartPolicy(2, { decision: aDecision(2, { json: { shared: '{}', own: [] } }) })],
  ['with U+0000', aStartPolicy(2, { decision: aDecision(2, { json: '"\0"' }) })],
  ['with facts beyond 256 KiB', aStartPolicy(2, { facts: [someFacts({ facts: 'x'.repeat(262_145) })] })],
  ['with a salt of 15 bytes', aStartPolicy(2, { facts: [someFacts({ salt: new Uint8Array(15) })] })],
  ['with facts of more phases than can be', aStartPolicy(2, { facts: Array.from({ length: 65 }, () => someFacts()) })],
];

export function policyDecisionContract({ it }: Contract): void {
  describe('decisions of policies', () => {
    it('stand beside their run, with its facts, from its start on', async (fixture) => {
      const { ledger } = fixture;
      const decision = aDecision(1, { policies: ['acme/a', 'acme/b'], shadow: 'would_deny', shadowDiffers: true });
      await ledger.startRun(aStart(1, { policy: { decision, facts: [someFacts(), REQUEST], grants: [] } }));
      const { counted: _counted, ...row } = decision;
      const stored = { ...row, tenant: 'acme', runId: runIdOf(1), receiptId: null, inputsSha256: null };
      const reopened = await fixture.reopen();
      expect(await reopened.decision('acme', decisionIdOf(1))).to.deep.equal(stored);
      expect(await reopened.decisionOfRun('acme', runIdOf(1))).to.deep.equal(stored);
      expect(await reopened.runFacts('acme', runIdOf(1))).to.deep.equal([someFacts(), REQUEST]);
      await reopened.finishRun(aFinish(1));
      const finished = { ...stored, receiptId: receiptIdOf(1) };
      expect(await reopened.decision('acme', decisionIdOf(1))).to.deep.equal(finished);
      expect((await reopened.decisions('acme', { limit: 1 })).items).to.deep.equal([finished]);
    });

    it('give texts back whole of which most is shared with other runs', async (fixture) => {
      const facts = [{ ...someFacts(), facts: SHARED }, REQUEST];
      const first = { decision: aDecision(1, { json: SHARED }), facts, grants: [] };
      await fixture.ledger.startRun(aStart(1, { policy: first }));
      await fixture.ledger.startRun(
        aStart(2, { policy: { ...first, decision: aDecision(2, { json: OTHER }), facts: [] } }),
      );
      const ledger = await fixture.reopen();
      await ledger.startRun(aStart(3, { policy: { ...first, decision: aDecision(3, { json: OTHER }) } }));
      const jsonOf = async (number: number): Promise<string | undefined> =>
        (await ledger.decisionOfRun('acme', runIdOf(number)))?.json;
      expect(await jsonOf(1)).to.equal('{"decision":"allow","of":"é","number":1,"run":"run_1"}');
      expect(await jsonOf(2)).to.equal('{"decision":"allow","of":"é","number":22,"run":"run_2"}');
      expect(await jsonOf(3)).to.equal(await jsonOf(2));
      expect(await ledger.runFacts('acme', runIdOf(3))).to.deep.equal([
        { ...someFacts(), facts: '{"decision":"allow","of":"é","number":1,"run":"run_1"}' },
        REQUEST,
      ]);
      await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ erasesFacts: true }) }));
      expect([await jsonOf(1), await ledger.runFacts('acme', runIdOf(1))]).to.deep.equal([
        '{"decision":"allow","of":"é","number":1,"run":"run_1"}',
        [],
      ]);
    });

    it('are of their tenant alone, as its facts are', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { facts: [someFacts()] }) }));
      expect(await ledger.decision('globex', decisionIdOf(1))).to.equal(undefined);
      expect(await ledger.decisionOfRun('globex', runIdOf(1))).to.equal(undefined);
      expect(await ledger.runFacts('globex', runIdOf(1))).to.deep.equal([]);
      expect((await ledger.decisions('globex', { limit: 9 })).items).to.deep.equal([]);
    });

    it('of a run that is denied stand beside its receipt, with the approvals that it needs', async ({ ledger }) => {
      const policy = aStartPolicy(1, { decision: aDenial(1), facts: [someFacts()] });
      const finish = aFinish(1, { policy: aFinishPolicy() }, { outcome: 'policy_denied' });
      expect(await ledger.recordRun(aStart(1, { policy }), finish)).to.deep.equal({ kind: 'started' });
      expect(await ledger.decisionOfRun('acme', runIdOf(1))).to.deep.include({
        receiptId: receiptIdOf(1),
        decision: 'deny',
        approvals: ['payments:approve', 'risk:approve'],
        inputsSha256: 'ab'.repeat(32),
      });
      expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([someFacts()]);
    });

    it('of a response take the place of those at the start, and its facts follow', async (fixture) => {
      const { ledger } = fixture;
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { facts: [someFacts()] }) }));
      const { shadow, shadowDiffers, policies, json } = aDenial(1);
      const response = { decision: 'deny', shadow, shadowDiffers, policies, json } as const;
      await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ response, facts: [RESPONSE] }) }));
      const reopened = await fixture.reopen();
      expect(await reopened.decisionOfRun('acme', runIdOf(1))).to.deep.include(response);
      expect(await idsOf(reopened, { decision: 'deny', policy: 'acme/payments' })).to.deep.equal([decisionIdOf(1)]);
      expect(await reopened.runFacts('acme', runIdOf(1))).to.deep.equal([someFacts(), RESPONSE]);
    });

    it('stay those of the start when a finish has facts alone', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1) }));
      await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ facts: [RESPONSE] }) }));
      expect((await ledger.decisionOfRun('acme', runIdOf(1)))?.json).to.equal(aDecision(1).json);
      expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([RESPONSE]);
    });

    it('lose the facts of the start when a finish says so, and nothing else', async (fixture) => {
      const { ledger } = fixture;
      for (const number of [1, 2])
        await ledger.startRun(aStart(number, { policy: aStartPolicy(number, { facts: [someFacts(), REQUEST] }) }));
      await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ erasesFacts: true }) }));
      await ledger.finishRun(aFinish(2, { policy: aFinishPolicy({ erasesFacts: true, facts: [RESPONSE] }) }));
      const reopened = await fixture.reopen();
      expect(await reopened.runFacts('acme', runIdOf(1))).to.deep.equal([]);
      expect(await reopened.runFacts('acme', runIdOf(2))).to.deep.equal([RESPONSE]);
      expect((await reopened.decisionOfRun('acme', runIdOf(1)))?.json).to.equal(aDecision(1).json);
    });

    it('keep their record and facts of the greatest length', async ({ ledger }) => {
      const facts = someFacts({ facts: 'f'.repeat(262_144) });
      const decision = aDecision(1, { json: `"${'x'.repeat(65_534)}"` });
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { decision, facts: [facts, facts] }) }));
      expect((await ledger.decision('acme', decisionIdOf(1)))?.json).to.equal(decision.json);
      expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([facts, facts]);
    });

    it('are refused alone when they can not be: the run does not start, the others of its group do', async ({
      ledger,
    }) => {
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1) }));
      let number = 10;
      for (const [why, policy] of refusedStarts) {
        number += 1;
        const [error, good] = await Promise.all([
          refusal(ledger.startRun(aStart(2, { policy }))),
          ledger.startRun(aStart(number, { policy: aStartPolicy(number) })),
        ]);
        expect(error, why).to.be.instanceOf(TypeError);
        expect(good.kind, why).to.equal('started');
        expect(await refusal(ledger.recordRun(aStart(2, { policy }), aFinish(2))), why).to.be.instanceOf(TypeError);
      }
      expect(await ledger.decisionOfRun('acme', runIdOf(2))).to.equal(undefined);
      expect(await ledger.startRun(aStart(2, { policy: aStartPolicy(2) }))).to.deep.equal({ kind: 'started' });
    });

    it('can not be added by a finish to a run that has none: the run stays open', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      const withFacts = aFinish(1, { policy: aFinishPolicy({ facts: [RESPONSE] }) });
      expect(await refusal(ledger.finishRun(withFacts))).to.be.instanceOf(TypeError);
      expect(await refusal(ledger.recordRun(aStart(2), { ...withFacts, runId: runIdOf(2) }))).to.be.instanceOf(
        TypeError,
      );
      const erasing = aFinish(1, { policy: aFinishPolicy({ erasesFacts: true }) });
      expect(await refusal(ledger.finishRun(erasing))).to.be.instanceOf(TypeError);
      expect(await ledger.logSize()).to.equal(0);
      expect(await ledger.finishRun(aFinish(1, { policy: aFinishPolicy() }))).to.deep.equal({ kind: 'finished' });
    });

    it('are not written for a run whose key is taken', async ({ ledger }) => {
      const idempotency = { path: '/p', key: 'k', bodySha256: 'ab'.repeat(32), expiresAt: LEDGER_NOW + 1000 };
      await ledger.startRun(aStart(1, { idempotency }));
      const again = await ledger.startRun(aStart(2, { idempotency, policy: aStartPolicy(2) }));
      expect(again.kind).to.equal('idempotent');
      expect(await idsOf(ledger)).to.deep.equal([]);
      expect(await ledger.policyCounts(LEDGER_DAY)).to.deep.equal([]);
    });

    it('are listed newest first, page by page, by what is asked for', async ({ ledger }) => {
      const decisions = [
        aDecision(1),
        aDenial(2, { at: LEDGER_NOW + 10 }),
        aDecision(3, {
          at: LEDGER_NOW + 10,
          shadow: 'would_deny',
          shadowDiffers: true,
          policies: ['acme/a', 'acme/b'],
        }),
        aDecision(4, { at: LEDGER_NOW + 20, orbId: 'acme.geo@1.0.0' }),
      ];
      for (const [index, decision] of decisions.entries())
        await ledger.startRun(aStart(index + 1, { policy: aStartPolicy(0, { decision }) }));
      const first = await ledger.decisions('acme', { limit: 3 });
      const rest = await ledger.decisions('acme', { limit: 3, cursor: first.nextCursor ?? '' });
      const listed = [...first.items, ...rest.items].map(({ decisionId }) => decisionId);
      expect(listed).to.deep.equal([4, 3, 2, 1].map(decisionIdOf));
      expect(rest.nextCursor).to.equal(null);
      const queries: readonly (readonly [Partial<DecisionQuery>, readonly number[]])[] = [
        [{ decision: 'deny' }, [2]],
        [{ shadow: 'would_deny' }, [3, 2]],
        [{ shadowDiffers: true }, [3]],
        [{ orbId: 'acme.geo@1.0.0' }, [4]],
        [{ policy: 'acme/b' }, [3]],
        [{ policy: 'acme' }, []],
        [{ since: LEDGER_NOW + 10, until: LEDGER_NOW + 20 }, [3, 2]],
      ];
      for (const [query, numbers] of queries)
        expect(await idsOf(ledger, query), JSON.stringify(query)).to.deep.equal(numbers.map(decisionIdOf));
      for (const wrong of [{ limit: 0 }, { limit: 201 }, { cursor: 'MSBh' }, { cursor: '?' }])
        expect(await refusal(ledger.decisions('acme', { limit: 1, ...wrong }))).to.be.instanceOf(RangeError);
    });
  });

  describe('counts of a day', () => {
    it('are sums of the runs that count, by caller, Orbiset and Orb', async (fixture) => {
      const { ledger } = fixture;
      const runs = [
        aDecision(1),
        aDecision(2, { at: LEDGER_DAY }),
        aDecision(3, { caller: 'anonymous' }),
        aDecision(4, { counted: false }),
        aDecision(5, { at: LEDGER_DAY + DAY_MS }),
        aDecision(6, { at: LEDGER_DAY - 1 }),
      ];
      await Promise.all(
        runs.map((decision, number) => ledger.startRun(aStart(number, { policy: aStartPolicy(0, { decision }) }))),
      );
      const run = { tenant: 'acme', caller: 'key:k7Qp2xZa', orbiset: 'acme.prod', orbId: 'acme.echo@1.0.0' };
      const reopened = await fixture.reopen();
      expect(await reopened.policyCounts(LEDGER_DAY)).to.have.deep.members([
        { ...run, runs: 3 },
        { ...run, caller: 'anonymous', runs: 1 },
      ]);
      expect(await reopened.policyCounts(LEDGER_DAY + DAY_MS)).to.deep.equal([{ ...run, runs: 1 }]);
      expect(await refusal(reopened.policyCounts(LEDGER_NOW))).to.be.instanceOf(RangeError);
    });
  });
}
