import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import type { Pin } from '../../../../crds/orb.ts';
import { aLoop, idOf, ORB, type LoopOptions, type LoopWorld } from '../../../support/standalone-loop.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const PLAIN = 'acme.plain@1.0.0';
const OTHER = 'acme.other@1.0.0';
const PIN: Pin = {
  provider: 'backup',
  mode: 'soft',
  expires_at: new Date(LEDGER_NOW + 3_600_000).toISOString(),
  id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11',
  actor: 'key:a',
};

describe('FailoverLoop', function suite() {
  this.timeout(20_000);
  let fixture: SqliteFixture;
  let world: LoopWorld;

  const start = async (options: LoopOptions = {}): Promise<void> => {
    world = await aLoop(await fixture.current(), fixture.clock, options);
  };
  const kept = async (orbId = ORB): Promise<unknown> => {
    const text = await (await fixture.current()).state('failover', `acme/${orbId}`);
    const value: unknown = JSON.parse(text ?? 'null');
    return isJsonObject(value) ? value['activeProvider'] : undefined;
  };
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(async () => {
    await world.stop();
    await fixture.dispose();
  });

  it('leaves a slow provider for the one that probes show to be faster, and goes back by a ramp when it is well', async () => {
    await start();
    await world.pass(40);
    expect(world.active()).to.equal('main');
    world.seconds.main = 0.8;
    await world.pass(75);
    expect([world.active(), await kept()]).to.deep.equal(['backup', 'backup']);
    const [swap] = world.swapped;
    const record = swap?.failover.history.at(-1);
    expect(record).to.deep.include({
      seq: 1,
      from: 'main',
      to: 'backup',
      reason: 'latency',
      rule: 'degraded',
      epoch: 1,
    });
    expect(record?.evidence).to.be.a('string').that.includes('"source":"process"');
    expect(swap?.uid).to.match(/^[0-9a-f-]{36}$/);
    world.seconds.main = 0.04;
    for (let tries = 0; tries < 40 && world.orb()?.failover?.ramp === null; tries += 1) await world.pass(5);
    expect(world.orb()?.failover?.ramp).to.deep.include({ provider: 'main', percent: 50, trial: false });
    await world.pass(20);
    expect([world.active(), await kept()]).to.deep.equal(['main', 'main']);
    expect(world.swapped.map(({ failover }) => failover.history.at(-1)?.reason)).to.deep.equal(['latency', 'failback']);
    expect(new Set(world.swapped.map(({ uid }) => uid)).size).to.equal(1);
    expect(world.lines.filter((line) => line.includes('is used instead of')).length).to.equal(2);
  });

  it('shows what its last evaluation saw', async () => {
    await start();
    const wish = { namespace: 'acme', orbId: idOf(ORB), quantile: 0.95, active: { provider: 'main', since: 0 } };
    await world.pass(31);
    const figures = await world.loop.figures(wish);
    expect(figures).to.deep.include({ rule: 'healthy', limitMs: 500, dataAgeMs: 0 });
    expect(figures?.providers.map(({ provider, evidence }) => [provider, evidence])).to.deep.equal([
      ['backup', 'probe'],
      ['main', 'traffic'],
    ]);
  });

  it('follows a pin at once, and has its swap in the ledger before a run can see it', async () => {
    await start();
    world.pin(PIN);
    await world.pass(1);
    expect(await kept()).to.equal('backup');
    expect(world.swapped.map(({ failover, pin }) => [failover.swapSeq, pin?.id])).to.deep.equal([[1, PIN.id]]);
    expect(world.orb()?.failover?.history.at(-1)).to.deep.include({ reason: 'manual', actor: 'key:a' });
  });

  it('keeps an Orb without swap_config where a pin brought it, and writes nothing of one that nobody pinned', async () => {
    await start({ orbs: [], plain: [PLAIN, OTHER] });
    world.pin({ ...PIN, mode: 'once', expires_at: new Date(LEDGER_NOW + 20_000).toISOString() }, PLAIN);
    await world.pass(60);
    expect([await kept(PLAIN), world.active(PLAIN)]).to.deep.equal(['backup', 'backup']);
    expect([await kept(OTHER), world.active(OTHER)]).to.deep.equal([undefined, 'main']);
  });

  it('tells when a pin of an Orb without swap_config has ended', async () => {
    await start({ orbs: [], plain: [PLAIN] });
    world.pin({ ...PIN, expires_at: new Date(LEDGER_NOW + 20_000).toISOString() }, PLAIN);
    await world.pass(60);
    expect(world.lines.filter((line) => line.includes('The pin to "backup" has ended'))).to.have.length(1);
  });

  it('goes on after a restart where it was: the same hold, the same number, the same uid', async () => {
    await start();
    await world.pass(40);
    world.seconds.main = 0.8;
    await world.pass(75);
    const before = [...world.loop.swapped()];
    await world.stop();
    await start();
    expect([...world.loop.swapped()]).to.deep.equal(before);
    expect(world.active()).to.equal('backup');
    await world.pass(15);
    expect(world.active()).to.equal('backup');
  });

  it('forgets at a start an Orb that no file has any more; under its id another one begins anew', async () => {
    await start();
    const [before] = [...world.loop.swapped()];
    await world.stop();
    await start({ orbs: [OTHER] });
    await world.stop();
    expect(await (await fixture.current()).state('failover', `acme/${ORB}`)).to.equal(undefined);
    await start();
    const [after] = [...world.loop.swapped()];
    expect(before?.uid).not.to.equal(undefined);
    expect(after?.uid).not.to.equal(before?.uid);
  });

  it('swaps with a later tick when the ledger takes no row now, and nothing is told before', async () => {
    let away = false;
    await start({
      rows: (rows) => ({
        get: (orb) => rows.get(orb),
        put: async (orb, status) => {
          if (away) throw new LedgerError('ledger-unavailable', 'the disk is full');
          return rows.put(orb, status);
        },
      }),
    });
    await world.pass(40);
    world.seconds.main = 0.8;
    away = true;
    await world.pass(75);
    expect([world.active(), world.swapped.length]).to.deep.equal(['main', 0]);
    away = false;
    await world.pass(15);
    expect([world.active(), world.swapped.length]).to.deep.equal(['backup', 1]);
  });

  it('decides on one Orb though another one fails', async () => {
    await start({
      orbs: [OTHER, ORB],
      rows: (rows) => ({
        get: (orb) => {
          if (orb.orbId === OTHER) throw new TypeError('a bug');
          return rows.get(orb);
        },
        put: (orb, status) => rows.put(orb, status),
      }),
    });
    await world.pass(15);
    expect([await kept(), await kept(OTHER)]).to.deep.equal(['main', undefined]);
  });
});
