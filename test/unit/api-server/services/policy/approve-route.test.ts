import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { approveRoute } from '../../../../../api-server/services/policy/approve-route.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { decisionIdOf, storeDecision } from '../../../../support/stored-decisions.ts';

const RUN = {
  orbiset: 'acme.support',
  caller: 'key:k7Qp2xZa',
  orbId: 'acme.echo@1.0.0',
  inputsSha256: 'a'.repeat(64),
};
const QUARTER_MS = 15 * 60_000;

const approver = (some: Partial<Caller> = {}): Caller =>
  aCaller({ id: 'key:approver', scopes: new Set(['policies:approve', 'incidents:write']), ...some });

describe('POST /decisions/{decision_id}/approve', () => {
  let fixture: SqliteFixture;
  const said: unknown[] = [];
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    said.length = 0;
    await storeDecision(fixture.ledger, 1, { decision: { approvals: ['incidents:write'] } });
    await storeDecision(fixture.ledger, 2);
    await storeDecision(fixture.ledger, 3, { decision: { approvals: ['incidents:write', 'receipts:erase'] } });
  });
  afterEach(() => fixture.dispose());

  async function approve(number: number, caller = approver(), times = 1): Promise<readonly Called[]> {
    const { ledger, clock } = fixture;
    const logger = { info: (message: string, fields: unknown): void => void said.push([message, fields]) };
    const app = await startApp([approveRoute({ ledger, clock, random: randomBytes, logger })], { caller });
    const path = `/decisions/${decisionIdOf(number)}/approve`;
    const answers = await Promise.all(Array.from({ length: times }, () => app.call('POST', path)));
    await app.close();
    return answers;
  }

  const grants = (inputsSha256 = RUN.inputsSha256): ReturnType<SqliteFixture['ledger']['grantsFor']> =>
    fixture.ledger.grantsFor('acme', { ...RUN, inputsSha256 }, fixture.clock.now());

  it('gives a grant for the same run that ends after 15 minutes', async () => {
    const [answer] = await approve(1);
    expect([answer?.status, answer?.value]).to.have.nested.property('[1].grants[0].scope', 'incidents:write');
    expect((await grants()).map(({ scope }) => scope)).to.deep.equal(['incidents:write']);
    expect(await grants('b'.repeat(64))).to.deep.equal([]);
    await fixture.clock.advance(QUARTER_MS);
    expect(await grants()).to.deep.equal([]);
  });

  it('logs who approved what', async () => {
    await approve(1);
    expect(said).to.deep.equal([
      [
        'a run is approved',
        { caller: 'key:approver', tenant: 'acme', decision_id: decisionIdOf(1), scopes: ['incidents:write'] },
      ],
    ]);
  });

  it('gives one grant to ten requests at once, and 409 to the others', async () => {
    const answers = await approve(1, approver(), 10);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).to.deep.equal([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    expect(await grants()).to.have.length(1);
  });

  it('gives a grant for the scopes that the caller has, and another caller the rest', async () => {
    await approve(3);
    expect((await grants()).map(({ scope }) => scope)).to.deep.equal(['incidents:write']);
    const [second] = await approve(3, approver({ scopes: new Set(['policies:approve', 'receipts:erase']) }));
    expect(second?.status).to.equal(201);
    expect((await grants()).map(({ scope }) => scope)).to.have.members(['incidents:write', 'receipts:erase']);
  });

  for (const [answer, status] of [
    ['yes', 201],
    ['no', 403],
    ['unknown', 503],
  ] as const)
    it(`asks whether a ServiceAccount has the scope of the obligation: ${answer} → ${status}`, async () => {
      const asked: string[] = [];
      const mayAlso = async (scope: string): Promise<typeof answer> => {
        asked.push(scope);
        return answer;
      };
      const account = approver({ id: 'sa:acme/lead', scopes: new Set(['policies:approve']), mayAlso });
      const [given] = await approve(1, account);
      expect([given?.status, asked]).to.deep.equal([status, ['incidents:write']]);
      expect(await grants()).to.have.length(status === 201 ? 1 : 0);
    });

  const refused: readonly [why: string, number: number, caller: Caller, status: number, code: string][] = [
    ['the caller of the run itself', 1, approver({ id: RUN.caller }), 403, 'forbidden'],
    [
      'a key without the scope of the obligation',
      1,
      approver({ scopes: new Set(['policies:approve']) }),
      403,
      'forbidden',
    ],
    ['a key without policies:approve', 1, approver({ scopes: new Set(['incidents:write']) }), 403, 'forbidden'],
    ['a decision that asks for none', 2, approver(), 409, 'approval-not-open'],
    ['another tenant', 1, approver({ tenants: ['globex'] }), 404, 'decision-not-found'],
    ['an unknown decision', 9, approver(), 404, 'decision-not-found'],
  ];
  for (const [why, number, caller, status, code] of refused)
    it(`refuses ${why}: ${status} ${code}, and no run may start`, async () => {
      const [answer] = await approve(number, caller);
      expect([answer?.status, answer?.code]).to.deep.equal([status, code]);
      expect([await grants(), said]).to.deep.equal([[], []]);
    });
});
