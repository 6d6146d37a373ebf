import { expect } from 'chai';
import type { DialResult } from '../../../../adapters/egress/port.ts';
import { answered, createTestRuntime, type TestRuntime } from '../../../support/a-runtime.ts';
import { at, payloadOf, textAt } from '../../../support/members.ts';
import { checkOf } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const failedBy = (code: 'dns' | 'connect' | 'tls' | 'reset'): DialResult => ({
  kind: 'failed',
  failure: { kind: 'transport', code },
  sent: false,
  status: null,
  ms: 3,
  exception: false,
});

describe('what the end of a run leaves in log, metrics and receipt', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  const create = (result: DialResult): TestRuntime =>
    createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock, answer: () => result });

  it('is a line at debug for a success, and at info for a failure', async () => {
    for (const [result, level] of [
      [answered({ id: 'x' }), 'debug'],
      [answered({}, { status: 500 }), 'info'],
    ] as const) {
      const { execute, logged } = create(result);
      await execute({});
      expect(logged.filter(({ message }) => message === 'run').map((line) => line.level)).to.deep.equal([level]);
    }
  });

  for (const code of ['dns', 'connect', 'tls'] as const)
    it(`is a count of connections that failed: ${code}`, async () => {
      const { execute, counted } = create(failedBy(code));
      await execute({});
      expect(counted).to.include(`transport ${code}`);
    });

  it('is no such count for a connection that ended after it was made', async () => {
    const { execute, counted } = create(failedBy('reset'));
    await execute({});
    expect(counted.filter((text) => text.startsWith('transport'))).to.deep.equal([]);
  });

  for (const [stepMs, result] of [
    [0, 'pass'],
    [1000, 'pass'],
    [-1000, 'pass'],
    [1001, 'unknown'],
    [-1001, 'unknown'],
  ] as const)
    it(`is a time that ${result === 'pass' ? 'counts' : 'is unknown'} when the wall clock steps by ${stepMs} ms`, async () => {
      let step = 0;
      const clock = { ...fixture.clock, now: () => fixture.clock.now() + step };
      const answer = (): DialResult => {
        step = stepMs;
        return answered({ id: 'x' });
      };
      const { execute } = createTestRuntime({ ledger: fixture.ledger, clock, answer });
      const receipt = await fixture.ledger.receipt('acme', textAt((await execute({})).body, 'receipt', 'receipt_id'));
      expect(checkOf(payloadOf(receipt?.jws), 'slo')).to.include({ result });
    });

  for (const effect of ['irreversible', 'reversible'])
    it(`is whether what the Orb did can be undone: ${effect}`, async () => {
      const { execute, addOrb } = create(answered({ id: 'x' }));
      addOrb('acme.effect@1.0.0', { manifest: { effect } });
      const { body } = await execute({ orbId: 'acme.effect@1.0.0' });
      const receipt = await fixture.ledger.receipt('acme', textAt(body, 'receipt', 'receipt_id'));
      expect(at(payloadOf(receipt?.jws), 'orb', 'irreversible')).to.equal(effect === 'irreversible');
    });
});
