import { expect } from 'chai';
import { createProber } from '../../../../api-server/probes/prober.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { answered, hangs, type RuntimeOptions } from '../../../support/a-runtime.ts';
import { aProbingProcess, swapping, writeStatus, type ProbingProcess } from '../../../support/a-prober.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const START = Date.parse('2026-02-01T10:00:00.000Z');
const HOUR = 3_600_000;

const idOf = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
};
const MAIL = idOf('acme.mail@1.0.0');

describe('createProber (failover.md §7)', () => {
  let fixture: SqliteFixture;
  let clock: FakeClock;
  let process: ProbingProcess;
  let ending: () => Promise<void>;
  let holds: boolean;

  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  afterEach(() => ending());

  async function begin(): Promise<void> {
    const stopping = new AbortController();
    const running = createProber({ ...process.deps, isHolder: () => holds }).run(stopping.signal);
    ending = async () => {
      stopping.abort();
      await running;
    };
    await clock.advance(0);
  }

  async function start(options: Parameters<typeof swapping>[0] = {}, answer?: RuntimeOptions['answer']): Promise<void> {
    holds = true;
    clock = createFakeClock(START);
    process = aProbingProcess(fixture.ledger, clock, answer);
    process.world.addOrb(MAIL, swapping(options));
    await begin();
  }

  /** What is written is followed before time goes on. */
  async function write(change: Parameters<typeof writeStatus>[2]): Promise<void> {
    writeStatus(process, MAIL, change);
    await clock.advance(0);
  }

  const lastOf = (provider: string) => process.metrics.health('acme', MAIL).get(provider)?.lastProbe ?? null;

  it('probes every provider but the active one, each interval', async () => {
    await start();
    await clock.advance(60_000);
    expect(process.probed()).to.equal('bcbc');
    expect(lastOf('b')).to.deep.equal({ at: START + 45_000, outcome: 'success', durationMs: 5 });
    expect(lastOf('a')).to.equal(null);
  });

  it('follows a swap at once, and needs nothing compiled for it', async () => {
    await start();
    await clock.advance(15_000);
    expect(process.probed()).to.equal('bc');
    await write({ activeProvider: 'b' });
    await clock.advance(30_000);
    expect(process.probed()).to.equal('ac');
  });

  it('sends the request of the probe, with the name of the platform and nothing of a run', async () => {
    await start();
    await clock.advance(15_000);
    expect(process.world.sent[0]).to.deep.equal({
      method: 'GET',
      url: 'https://b.example.com/',
      headers: [['user-agent', 'orb-platform/test']],
      body: null,
    });
    expect(await fixture.ledger.logSize()).to.equal(0);
  });

  it('never probes a POST without a probe of its own', async () => {
    const body = { method: 'POST', body_template: '{}' };
    await start({ execution: body });
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
    process.world.addOrb(MAIL, swapping({ execution: { ...body, probe: { expect: { status: [200] } } } }));
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
    process.world.addOrb(MAIL, swapping({ execution: { ...body, probe: { method: 'HEAD' } } }));
    await clock.advance(15_000);
    expect(process.probed()).to.equal('bc');
  });

  it('sends nothing to a provider whose secrets the Orbiset lacks or may not send there, and counts nothing', async () => {
    await start({ secrets: true });
    await clock.advance(HOUR);
    expect([process.probed(), lastOf('b')]).to.deep.equal(['', null]);
    const { lines } = process.log;
    expect(
      lines.map(({ text, fields }) => `${text}: ${String(fields['provider'])} ${String(fields['code'])}`),
    ).to.deep.equal([
      'info a provider is not probed: b secret-missing',
      'info a provider is not probed: c secret-missing',
    ]);
  });

  it('sends nothing without an Orbiset that could be meant, unless no secret is needed', async () => {
    await start();
    process.world.addOrbiset('other');
    await clock.advance(15_000);
    expect(process.probed()).to.equal('bc');
  });

  it('sends nothing in the name of an Orbiset that asks for policies', async () => {
    await start();
    process.world.addOrbiset('support', { policies: { a: 1 } });
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
  });

  it('sends nothing in the name of a suspended Orbiset', async () => {
    await start();
    process.world.addOrbiset('support', { suspended: true });
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
  });

  it('sends nothing while the kill switch is thrown', async () => {
    await start();
    process.world.runtime.switches.stopEgress();
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
    process.world.runtime.switches.allowEgress();
    await clock.advance(30_000);
    expect(process.probed()).to.equal('bc');
  });

  it('sends nothing once the lease may have gone', async () => {
    await start();
    holds = false;
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
  });

  it('ends at once: what runs is cut, what waits is dropped, the gauges go', async () => {
    await start({}, hangs);
    await clock.advance(15_000);
    expect(process.probed()).to.equal('bc');
    await ending();
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
    let text = '';
    for await (const slice of process.metrics.slices()) text += slice;
    expect(text).to.not.match(/^orb_provider_probe_/m);
    expect(text).to.not.match(/source="probe"} [1-9]/);
  });

  it('takes a probe that is late as a timeout', async () => {
    await start({ swap: { probe: { timeout: '2s' } } }, hangs);
    await clock.advance(16_999);
    expect(lastOf('b')).to.equal(null);
    await clock.advance(1);
    expect(lastOf('b')).to.deep.include({ outcome: 'timeout' });
  });

  it('counts a refused credential: the Orbiset is of the namespace of the Orb', async () => {
    await start({}, () => answered({}, { status: 401 }));
    await clock.advance(15_000);
    expect(lastOf('b')).to.deep.include({ outcome: 'client_error' });
  });

  it('sends a burst to every standby when the breaker of the active provider opens, not when another one does', async () => {
    await start();
    const open = (provider: string): void => {
      const orb = process.world.catalog.orb('acme', MAIL)?.compiled;
      if (orb === undefined) throw new RangeError('no Orb');
      const state = process.world.runtime.failover.of(orb);
      for (let bad = 0; bad < 5; bad += 1) {
        const ticket = state.admit(provider);
        if (ticket !== undefined) state.report(provider, ticket, 'bad');
      }
    };
    open('b');
    await clock.advance(5000);
    expect(process.probed()).to.equal('');
    open('a');
    await clock.advance(0);
    await clock.advance(1999);
    expect(process.probed()).to.equal('bcbc');
    await clock.advance(1);
    expect(process.probed()).to.equal('bc');
  });

  it('sends a burst when the operator asks, once for each request and at most every 30 s', async () => {
    await start({ swap: { probe: { interval: '30s', jitter: 0 } } });
    await clock.advance(20_000);
    process.probed();
    const asked = START + 20_000;
    await write({ probeRequestedAt: asked });
    await clock.advance(3000);
    expect(process.probed()).to.equal('abcabcabc');
    await write({ probeRequestedAt: asked, swapSeq: 1 });
    await clock.advance(3000);
    expect(process.probed()).to.equal('');
    await write({ probeRequestedAt: asked + 5000 });
    await clock.advance(20_000);
    expect(process.probed()).to.equal('abc');
    await clock.advance(10_000);
    expect(process.probed()).to.equal('abcabcabc');
  });

  it('takes no old request for a new one when it begins', async () => {
    await start();
    await ending();
    await write({ probeRequestedAt: START - HOUR });
    await begin();
    await clock.advance(14_999);
    expect(process.probed()).to.equal('');
  });

  it('reports a used-up budget once, and stops', async () => {
    await start({ swap: { probe: { max_per_hour: 120 } } });
    for (let second = 0; second < 1800; second += 30) {
      await write({ probeRequestedAt: START + second * 1000 + 1 });
      await clock.advance(30_000);
    }
    await clock.advance(HOUR / 2 - 1);
    expect(process.world.sent.length).to.equal(3 * 120);
    expect(process.exhausted.toSorted()).to.deep.equal([`${MAIL} a`, `${MAIL} b`, `${MAIL} c`]);
  });

  it('forgets an Orb that goes, and takes up one that comes', async () => {
    await start();
    process.world.catalog.removeOrb('acme', MAIL);
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
    process.world.addOrb('acme.post@1.0.0', swapping({}));
    await clock.advance(15_000);
    expect(process.probed()).to.equal('bc');
  });

  it('stops when the manifest says so', async () => {
    await start();
    process.world.addOrb(MAIL, swapping({ swap: { probe: { mode: 'none' } } }));
    await clock.advance(HOUR);
    expect(process.probed()).to.equal('');
  });

  it('waits on one timer, however many Orbs there are', async () => {
    await start();
    await ending();
    for (let orb = 0; orb < 200; orb += 1) process.world.addOrb(`acme.mail${orb}@1.0.0`, swapping({}));
    let waiting = 0;
    const sleep: FakeClock['sleep'] = async (...wait) => {
      waiting += 1;
      await clock.sleep(...wait).finally(() => (waiting -= 1));
    };
    process = { ...process, deps: { ...process.deps, clock: { ...clock, sleep } } };
    await begin();
    for (let turn = 0; turn < 10; turn += 1) await clock.advance(0);
    expect(waiting).to.equal(1);
    await clock.advance(20_000);
    expect([waiting, process.probed().length]).to.deep.equal([1, 402]);
  });

  it('goes on after a dialer that fails', async () => {
    await start({}, () => {
      throw new TypeError('a bug');
    });
    await clock.advance(45_000);
    expect(process.probed()).to.equal('bcbc');
    expect(process.log.texts()).to.include('error a probe failed');
  });
});
