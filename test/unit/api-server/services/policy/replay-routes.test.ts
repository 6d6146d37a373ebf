import { expect } from 'chai';
import { replayRoutes } from '../../../../../api-server/services/policy/replay-routes.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { startReplayRoute } from '../../../../../api-server/services/policy/start-replay-route.ts';
import type { Replays, ReplaysDeps } from '../../../../../api-server/replays/replays.ts';
import { parseJws } from '../../../../../core/receipt/jws.ts';
import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { SECRET } from '../../../../support/a-runtime.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { at, payloadOf, textAt } from '../../../../support/members.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';
import { PolicyRuns, type RuntimeWithPolicies } from '../../../../support/policy-runs.ts';
import { replayHere, someReplays } from '../../../../support/replays.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { jsonOf } from '../../../../support/suites.ts';

const WINDOW = { from: '2026-01-01T00:00:00Z', to: '2026-12-31T00:00:00Z' };
const DENY_LATER = { rules: [aRule('deny', 'orbiset.runs_today >= 2', { name: 'cap' })] };
const draft = (spec: unknown = DENY_LATER): object => ({ metadata: { name: 'cap' }, spec });

interface Started {
  readonly app: TestApp;
  readonly test: RuntimeWithPolicies;
  readonly replays: Replays;
  readonly said: string[];
  readonly send: (method: string, path: string, body?: unknown) => Promise<Called>;
}

describe('replays over HTTP', () => {
  let fixture: SqliteFixture;
  let started: Started;
  let completed: () => void;
  const completion = (): Promise<void> => new Promise((resolve) => (completed = resolve));
  const start = async (change: Partial<ReplaysDeps> = {}, tenants = ['acme']): Promise<Started> => {
    const runs = new PolicyRuns(fixture);
    const test = runs.create([aPolicy({ rules: [] }, 'recorder')]);
    const said: string[] = [];
    const replays = someReplays(test.runtime, change, { said, completed: () => completed() });
    const { ledger, clock } = fixture;
    const { logger, policies } = test.runtime;
    const rate = new SimulationRate(clock);
    const routes = [
      startReplayRoute({ drafts: DRAFTS_HERE, ledger, clock, logger, rate, policies, replays }),
      ...replayRoutes({ ledger, catalog: test.catalog, logger, replays }),
    ];
    const app = await startApp(routes, { caller: aCaller({ tenants, scopes: new Set(['policies:simulate']) }), clock });
    const send = (method: string, path: string, body?: unknown): Promise<Called> =>
      app.call(
        method,
        path,
        body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      );
    return { app, test, replays, said, send };
  };
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    started = await start();
  });
  afterEach(async () => {
    await started.app.close();
    await started.replays.close();
    await fixture.dispose();
  });

  /** Starts a replay and waits for its end. */
  async function replayed(body: object): Promise<Called> {
    const end = completion();
    const answer = await started.send('POST', '/policies/replay', body);
    expect([answer.status, at(jsonOf(answer.value), 'status')]).to.deep.equal([202, 'running']);
    const id = textAt(jsonOf(answer.value), 'replay_id');
    await end;
    return started.send('GET', `/replays/${id}`);
  }

  const execute = async (times: number): Promise<void> => {
    const { test } = started;
    for (let time = 0; time < times; time += 1) {
      await test.execute({ orbiset: test.orbiset });
      await fixture.clock.advance(1000);
    }
  };

  it('answers what a draft would have changed, signed, and counts for its gate', async () => {
    await execute(3);
    const promotion = { requireReplay: { window: '1h', minReceipts: 3, maxNewDenies: 0 } };
    const { status, value } = await replayed({ policy: draft({ ...DENY_LATER, promotion }), window: WINDOW });
    const found = jsonOf(value);
    expect([status, at(found, 'status'), at(found, 'policy')]).to.deep.equal([200, 'completed', 'acme/cap']);
    expect(at(found, 'counts')).to.include({ unchanged: 2, allow_to_deny: 1, indeterminate: 0 });
    expect(at(found, 'gate')).to.deep.equal({
      passed: false,
      failing: [{ limit: 'maxNewDenies', allowed: 0, actual: 1 }],
    });
    const jws = textAt(found, 'jws');
    expect(parseJws(jws)?.header.members['typ']).to.equal('orb-replay+jws');
    expect(payloadOf(jws)).to.deep.include({ replay_id: at(found, 'replay_id'), policy: 'acme/cap' });
    expect(at(payloadOf(jws), 'result', 'counts')).to.deep.equal(at(found, 'counts'));
    expect(started.said).to.deep.equal(['ended completed', 'replayed acme/cap']);
    const totals = await fixture.ledger.replayTotals('acme', 'cap', textAt(found, 'policy_digest'));
    expect(totals.map(({ evaluated, newDenies }) => [evaluated, newDenies])).to.deep.equal([[3, 1]]);
  });

  it('shows the changes page by page, with the values of the rule', async () => {
    await execute(4);
    const { value } = await replayed({ policy: draft(), window: WINDOW, stateful: 'as_recorded' });
    const path = `/replays/${textAt(jsonOf(value), 'replay_id')}/changes`;
    const first = jsonOf((await started.send('GET', `${path}?limit=1`)).value);
    expect(at(first, 'items', '0')).to.deep.include({ from: 'allow', to: 'deny', rule: 'acme/cap/cap' });
    expect(at(first, 'items', '0', 'trace', 'value')).to.equal(true);
    const rest = jsonOf((await started.send('GET', `${path}?cursor=${textAt(first, 'next_cursor')}`)).value);
    expect([
      at(rest, 'items', '0', 'receipt_id') === at(first, 'items', '0', 'receipt_id'),
      at(rest, 'next_cursor'),
    ]).to.deep.equal([false, null]);
    expect((await started.send('GET', `${path}?cursor=x`)).status).to.equal(400);
  });

  it('shows no secret that a caller sent as an input', async () => {
    const { test } = started;
    await test.execute({ orbiset: test.orbiset, inputs: { text: SECRET } });
    await fixture.clock.advance(1000);
    const leak = { inputFacts: { text: 'string' }, rules: [aRule('deny', `"${SECRET}" != ""`)] };
    const { value } = await replayed({ policy: draft(leak), window: WINDOW });
    const { value: changes } = await started.send('GET', `/replays/${textAt(jsonOf(value), 'replay_id')}/changes`);
    expect(at(jsonOf(changes), 'items')).to.have.length(1);
    expect(JSON.stringify(changes)).not.to.include(SECRET);
  });

  it('counts for no gate when it leaves receipts out', async () => {
    await execute(2);
    const { value } = await replayed({ policy: draft(), window: WINDOW, filter: { orb_ids: ['acme.*'] } });
    const [totals] = await fixture.ledger.replayTotals('acme', 'cap', textAt(jsonOf(value), 'policy_digest'));
    expect(totals).to.include({ evaluated: 2, windowMs: 0 });
  });

  it('replays a stored version', async () => {
    await execute(3);
    const { definition } = aPolicy(DENY_LATER, 'cap');
    const { digest, spec } = definition;
    const version = { namespace: 'acme', name: 'cap', digest, generation: 1, uid: 'u', at: 1, by: 'x', tests: '[]' };
    await fixture.ledger.putPolicyVersion(
      { ...version, mode: 'Audit', spec: JSON.stringify(spec) },
      { inForce: false },
    );
    const { value } = await replayed({ ref: 'acme/cap', digest, window: WINDOW });
    expect([at(jsonOf(value), 'policy_digest'), at(jsonOf(value), 'counts', 'allow_to_deny')]).to.deep.equal([
      digest,
      1,
    ]);
    const none = { ref: 'acme/cap', digest: `sha256:${'0'.repeat(64)}`, window: WINDOW };
    expect((await started.send('POST', '/policies/replay', none)).code).to.equal('policy-not-found');
    const foreign = { ref: 'globex/cap', digest, window: WINDOW };
    expect((await started.send('POST', '/policies/replay', foreign)).code).to.equal('policy-not-found');
  });

  const refusals: readonly (readonly [string, object, string, string])[] = [
    ['no policy', { window: WINDOW }, 'invalid-parameter', ''],
    ['a draft and a version', { policy: draft(), ref: 'acme/cap', window: WINDOW }, 'invalid-parameter', ''],
    ['a window without an end', { policy: draft(), window: { from: WINDOW.from } }, 'invalid-parameter', '/window'],
    [
      'a window that ends before it begins',
      { policy: draft(), window: { from: WINDOW.to, to: WINDOW.from } },
      'invalid-parameter',
      '/window',
    ],
    ['no share', { policy: draft(), window: WINDOW, sample: { percent: 0 } }, 'invalid-parameter', '/sample'],
    [
      'a filter that does not exist',
      { policy: draft(), window: WINDOW, filter: { orbs: [] } },
      'invalid-parameter',
      '/filter',
    ],
    [
      'a policy that does not compile',
      { policy: draft({ rules: [aRule('deny', 'orb.scor < 1')] }), window: WINDOW },
      'policy-invalid',
      '/policy/spec/rules/0/when',
    ],
    [
      'a policy that is none',
      { policy: { metadata: { name: 'cap' } }, window: WINDOW },
      'policy-invalid',
      '/policy/spec',
    ],
  ];
  for (const [why, body, code, pointer] of refusals)
    it(`refuses ${why}`, async () => {
      const answer = await started.send('POST', '/policies/replay', body);
      expect([answer.code, at(jsonOf(answer.value), 'errors', '0', 'pointer')]).to.deep.equal([code, pointer]);
    });

  it('says of runs without policies that nothing was recorded, and completes', async () => {
    const { value } = await replayed({ policy: draft(), window: WINDOW });
    expect([at(jsonOf(value), 'status'), at(jsonOf(value), 'evaluated')]).to.deep.equal(['completed', 0]);
  });

  const begin = async (): Promise<string> => {
    const answer = await started.send('POST', '/policies/replay', { policy: draft(), window: WINDOW });
    return textAt(jsonOf(answer.value), 'replay_id');
  };

  describe('while they run', () => {
    let go: () => void;
    beforeEach(async () => {
      await started.app.close();
      const held = new Promise<void>((resolve) => (go = resolve));
      const { run } = replayHere(fixture.ledger);
      const runner: ReplaysDeps['runner'] = {
        run: async (job, onProgress, signal) => {
          await Promise.race([
            held,
            new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
          ]);
          signal.throwIfAborted();
          await run(job, onProgress, signal);
        },
      };
      started = await start({ runner });
    });

    it('are at most two of a tenant', async () => {
      await begin();
      await begin();
      const end = completion();
      const third = await started.send('POST', '/policies/replay', { policy: draft(), window: WINDOW });
      expect([third.status, third.code]).to.deep.equal([429, 'rate-limited']);
      go();
      await end;
      expect(await begin()).to.match(/^rpl_/);
    });

    it('are cancelled, and stay so', async () => {
      const id = await begin();
      const cancelled = await started.send('DELETE', `/replays/${id}`);
      expect([cancelled.status, at(jsonOf(cancelled.value), 'status')]).to.deep.equal([200, 'cancelled']);
      const again = await started.send('DELETE', `/replays/${id}`);
      expect(at(jsonOf(again.value), 'status')).to.equal('cancelled');
      const items = at(jsonOf((await started.send('GET', '/replays')).value), 'items');
      expect(items).to.have.length(1);
      expect(started.said).to.deep.equal(['ended cancelled']);
    });

    it('end as aborted with their process', async () => {
      const id = await begin();
      await started.replays.close();
      expect((await fixture.ledger.replay('acme', id))?.status).to.equal('aborted');
      expect(started.said).to.deep.equal(['ended aborted']);
      const late = await started.send('POST', '/policies/replay', { policy: draft(), window: WINDOW });
      expect(late.status).to.equal(503);
    });
  });

  it('are not there for another tenant', async () => {
    const { value } = await replayed({ policy: draft(), window: WINDOW });
    const id = textAt(jsonOf(value), 'replay_id');
    await started.app.close();
    started = await start({}, ['globex']);
    for (const [method, path] of [
      ['GET', `/replays/${id}`],
      ['DELETE', `/replays/${id}`],
      ['GET', `/replays/${id}/changes`],
    ] as const)
      expect((await started.send(method, path)).code, path).to.equal('replay-not-found');
    expect(at(jsonOf((await started.send('GET', '/replays')).value), 'items')).to.deep.equal([]);
  });
});
