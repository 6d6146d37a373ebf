import { expect } from 'chai';
import { startCountingProxy, type CountingProxy } from '../../chaos/rig/counting-proxy.ts';
import { writesOf } from '../../chaos/rig/journal.ts';
import { answerNext, crashAt, injectErrors, INJECTED, type CrashMode, type Rule } from '../../chaos/rig/rules.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { startFakeUpstream, type FakeUpstream } from './fake-upstream.ts';

const ORBS = '/apis/orbs.dev/v1alpha1/namespaces/n/orbs';

/** Turns in which sockets work, however late their timers are. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Which of 2 000 writes the injector fails at 5 %. */
const failures = (seed: number): readonly boolean[] => {
  const rule = injectErrors({ rate: 0.05, random: seededRandom(seed) });
  const request = { verb: 'patch', group: 'orbs.dev', resource: 'orbs' } as const;
  return Array.from({ length: 2000 }, () => rule({ request, point: undefined }) !== undefined);
};

describe('counting proxy', () => {
  let upstream: FakeUpstream;
  let proxy: CountingProxy;

  beforeEach(async () => {
    upstream = await startFakeUpstream();
    proxy = await startCountingProxy({ upstream: upstream.url, sleep: () => Promise.resolve() });
  });
  afterEach(async () => {
    await proxy.close();
    await upstream.close();
  });

  const write = (path: string, body: unknown, method: 'PATCH' | 'POST' | 'DELETE' = 'PATCH'): Promise<Response> =>
    fetch(`${proxy.url}${path}`, { method, body: JSON.stringify(body) });
  const force = (rule: Rule): void => void proxy.addRule(rule);
  /** @returns how often it killed, and the status that the caller got, 0 for none */
  const crash = async (mode: CrashMode): Promise<{ readonly kills: number; readonly got: number }> => {
    let kills = 0;
    const kill = (): Promise<void> => {
      kills += 1;
      return Promise.resolve();
    };
    force(crashAt('patch orbs n/a #1', mode, kill));
    const got = await write(`${ORBS}/a`, { spec: 1 }).then(
      ({ status }) => status,
      () => 0,
    );
    return { kills, got };
  };

  it('journals a write with its manager, status, version and uid', async () => {
    await write(`${ORBS}/a/status?fieldManager=orb-operator`, { metadata: { resourceVersion: '7' }, status: {} });
    expect(proxy.journal.requests[0]).to.deep.include({
      n: 1,
      verb: 'patch',
      resource: 'orbs',
      namespace: 'n',
      name: 'a',
      subresource: 'status',
      fieldManager: 'orb-operator',
      status: 201,
      shown: 201,
      precondition: '7',
      rv: '101',
      uid: `uid-${ORBS}/a/status`,
      changed: true,
    });
  });

  it('tells a write without effect from one that changed something', async () => {
    await write(`${ORBS}/a`, { spec: 1 });
    await write(`${ORBS}/a`, { spec: 1 });
    await write(`${ORBS}/a`, { spec: 2 });
    expect(proxy.journal.requests.map(({ changed }) => changed)).to.deep.equal([true, false, true]);
  });

  it('counts leases and events apart', async () => {
    await write('/apis/coordination.k8s.io/v1/namespaces/n/leases/orb-operator', {});
    await write('/apis/events.k8s.io/v1/namespaces/n/events', { metadata: { name: 'e' } }, 'POST');
    await write(`${ORBS}/a`, {});
    expect(writesOf(proxy.journal).map(({ resource }) => resource)).to.deep.equal(['orbs']);
    expect(proxy.journal.requests).to.have.length(3);
    expect(proxy.points()).to.deep.equal(['patch orbs n/a #1']);
  });

  it('names writes by object and ordinal, whatever comes between', async () => {
    await write(ORBS, { metadata: { name: 'a' } }, 'POST');
    await write(`${ORBS}/b/status`, { status: 1 });
    await write(`${ORBS}/a/status`, { status: 1 });
    await write(`${ORBS}/b/status`, { status: 2 });
    await write(`${ORBS}/a`, {}, 'DELETE');
    expect(proxy.points()).to.deep.equal([
      'create orbs n/a #1',
      'patch orbs n/b/status #1',
      'patch orbs n/a/status #1',
      'patch orbs n/b/status #2',
      'delete orbs n/a #1',
    ]);
  });

  it('passes the bearer token and the body on unchanged', async () => {
    const answer = await fetch(`${proxy.url}${ORBS}?limit=500`, { headers: { authorization: 'Bearer t' } });
    expect(await answer.json()).to.deep.equal({ items: [], metadata: { resourceVersion: '100' } });
    expect(upstream.seen).to.deep.equal([`GET ${ORBS}?limit=500`]);
  });

  describe('crash', () => {
    it('before send: the server never sees the write and the caller gets no answer', async () => {
      expect(await crash('before-send')).to.deep.equal({ kills: 1, got: 0 });
      expect(upstream.seen).to.deep.equal([]);
      expect(proxy.journal.requests[0]).to.include({ status: 0, shown: 0 });
    });

    it('after send: the server has done the write and the caller gets no answer', async () => {
      expect(await crash('after-send')).to.deep.equal({ kills: 1, got: 0 });
      expect(upstream.seen).to.deep.equal([`PATCH ${ORBS}/a`]);
      expect(proxy.journal.requests[0]).to.include({ status: 201, shown: 0, changed: true });
    });

    it('after response: the caller has the answer', async () => {
      const { got } = await crash('after-response');
      expect(got).to.equal(201);
      expect(proxy.journal.requests[0]).to.include({ status: 201, shown: 201 });
    });

    it('happens at its write only, and once', async () => {
      await write(`${ORBS}/b`, { spec: 1 });
      await crash('before-send');
      expect((await write(`${ORBS}/a`, { spec: 1 })).status).to.equal(201);
      expect(upstream.seen).to.deep.equal([`PATCH ${ORBS}/b`, `PATCH ${ORBS}/a`]);
    });
  });

  describe('errors', () => {
    it('answers 429 with Retry-After and asks the server nothing', async () => {
      force(() => INJECTED['too-many']);
      const answer = await write(`${ORBS}/a`, {});
      expect(answer.headers.get('retry-after')).to.equal('1');
      expect(await answer.json()).to.deep.include({
        code: 429,
        reason: 'TooManyRequests',
        details: { retryAfterSeconds: 1 },
      });
      expect(upstream.seen).to.deep.equal([]);
    });

    it('applies a write and shows 504 for it', async () => {
      force(() => INJECTED['applied-timeout']);
      expect((await write(`${ORBS}/a`, {})).status).to.equal(504);
      expect(upstream.seen).to.have.length(1);
      expect(proxy.journal.requests[0]).to.include({ status: 201, shown: 504 });
    });

    it('fails the share that was asked for, the same requests for the same seed', () => {
      const failed = failures(42).filter(Boolean).length;
      expect(failed).to.be.within(60, 140);
      expect(failures(42)).to.deep.equal(failures(42));
      expect(failures(42)).to.not.deep.equal(failures(43));
    });

    it('gives no conflict to a read', () => {
      const rule = injectErrors({ rate: 1, random: seededRandom(1), faults: ['conflict', 'applied-timeout'] });
      expect(rule({ request: { verb: 'list', group: '', resource: 'secrets' }, point: undefined })).to.equal(undefined);
      expect(rule({ request: { verb: 'patch', group: '', resource: 'secrets' }, point: undefined })).to.not.equal(
        undefined,
      );
    });

    it('leaves alone what the match leaves out', async () => {
      force(answerNext({ verbs: ['list'] }, { status: 500, reason: 'InternalError' }));
      expect((await write(`${ORBS}/a`, {})).status).to.equal(201);
      expect((await fetch(`${proxy.url}${ORBS}`)).status).to.equal(500);
      expect((await fetch(`${proxy.url}${ORBS}`)).status).to.equal(200);
    });
  });

  describe('partition', () => {
    it('answers nothing until it heals', async () => {
      proxy.partition();
      const asked = write(`${ORBS}/a`, { spec: 1 });
      const first = await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 30, 'silence'))]);
      expect(first).to.equal('silence');
      expect(upstream.seen).to.deep.equal([]);
      proxy.heal();
      expect((await asked).status).to.equal(201);
    });

    it('never sends a request whose caller gave up', async () => {
      proxy.partition();
      const abort = new AbortController();
      const asked = fetch(`${proxy.url}${ORBS}/a`, { method: 'PATCH', body: '{}', signal: abort.signal }).catch(
        () => 'gone',
      );
      await someTurns();
      abort.abort();
      expect(await asked).to.equal('gone');
      await someTurns();
      proxy.heal();
      await write(`${ORBS}/b`, {});
      expect(upstream.seen).to.deep.equal([`PATCH ${ORBS}/b`]);
    });
  });
});
