import { expect } from 'chai';
import { OrbFailovers } from '../../../../../api-server/runtime/failover/orb-failovers.ts';
import type { OrbFailover, Sender } from '../../../../../api-server/runtime/failover/orb-failover.ts';
import type { AttemptVerdict } from '../../../../../core/attempts/breaker.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../../../../core/orb/compiled-orb.ts';
import { createFakeClock, type FakeClock } from '../../../../support/fake-clock.ts';
import { orbManifest } from '../../../../support/orbs.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');

const execution = (host: string): unknown => ({ method: 'GET', url: `https://${host}.example.com/` });

/** An Orb with providers `main` and `b`. */
function anOrb(orbId: string, swap: Readonly<Record<string, unknown>> = {}): CompiledOrb {
  const manifest: unknown = JSON.parse(
    orbManifest(orbId, {
      url: 'https://a.example.com/',
      manifest: {
        swap_config: { primary: 'main', fallbacks: ['b'], ...swap },
        providers: { b: { execution: execution('b') } },
      },
    }),
  );
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return compiled.value;
}

const sender = (orbiset: string, secrets = 's'): Sender => ({ orbiset, secrets: () => secrets });

interface Bench {
  readonly clock: FakeClock;
  readonly state: OrbFailovers;
  /** What the metrics were told: `acme.a@1.0.0 main open`. */
  readonly reported: string[];
  readonly gone: Set<string>;
}

function aBench(): Bench {
  const clock = createFakeClock(START);
  const reported: string[] = [];
  const gone = new Set<string>();
  const state = new OrbFailovers({
    clock,
    random: () => 0,
    metrics: {
      provider: (_namespace, orbId, provider) => ({
        attempt: () => undefined,
        transportError: () => undefined,
        probe: () => undefined,
        breaker: (breaker) => void reported.push(`${orbId} ${provider} ${breaker}`),
      }),
    },
    isThere: (_namespace, orbId) => !gone.has(orbId),
  });
  return { clock, state, reported, gone };
}

function attempt(failover: OrbFailover, provider: string, verdict: AttemptVerdict): boolean {
  const ticket = failover.admit(provider);
  if (ticket !== undefined) failover.report(provider, ticket, verdict);
  return ticket !== undefined;
}

const fail = (failover: OrbFailover, provider: string, times = 5): void => {
  for (let time = 0; time < times; time += 1) attempt(failover, provider, 'bad');
};

const ORB = 'acme.a@1.0.0';

describe('OrbFailovers', () => {
  it('keeps one state for each Orb of each namespace', () => {
    const { state } = aBench();
    const orb = anOrb(ORB);
    fail(state.of(orb), 'main');
    expect(state.of(orb).standing('main', sender('acme.set'))).to.deep.equal({ kind: 'breaker', until: 2500 });
    const other = state.of({ ...orb, namespace: 'other' });
    expect(other.standing('main', sender('acme.set'))).to.deep.equal({ kind: 'free' });
    expect(state.of(orb).standing('b', sender('acme.set'))).to.deep.equal({ kind: 'free' });
  });

  it('opens after as many failures as the manifest says', () => {
    const { state } = aBench();
    const failover = state.of(anOrb(ORB, { hard_failure: { consecutive_failures: 3 } }));
    fail(failover, 'main', 2);
    expect(state.breakers('acme', ORB)).to.deep.equal({ main: 'closed', b: 'closed' });
    fail(failover, 'main', 1);
    expect(state.breakers('acme', ORB)).to.deep.equal({ main: 'open', b: 'closed' });
  });

  it('shows since when a breaker is not closed, until when, and the last failure', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    const cause = { reason: 'server-error', detail: 'HTTP 503' } as const;
    const last = { at: START, outcome: 'error', httpStatus: 503, cause, runId: null } as const;
    fail(failover, 'main');
    failover.noteFailure('main', last);
    failover.noteFailure('main', last);
    failover.noteSuccess('b');
    const main = { since: START, pausedUntil: null, failures: 2, lastFailure: last };
    const closed = { breaker: 'closed', since: null, until: null, pausedUntil: null, failures: 0, lastFailure: null };
    expect(state.providers('acme', ORB)).to.deep.equal({
      main: { ...main, breaker: 'open', until: START + 2500 },
      b: closed,
    });
    await clock.advance(2500);
    attempt(failover, 'main', 'bad');
    expect(state.providers('acme', ORB)['main']).to.deep.equal({
      ...main,
      breaker: 'open',
      until: START + 2500 + 5000,
    });
    await clock.advance(5000);
    attempt(failover, 'main', 'good');
    failover.noteSuccess('main');
    failover.cool('b', 1000);
    expect(state.providers('acme', ORB)).to.deep.equal({
      main: { ...closed, lastFailure: last },
      b: { ...closed, pausedUntil: START + 7500 + 1000 },
    });
    expect(state.providers('acme', 'acme.other@1.0.0')).to.deep.equal({});
  });

  it('tells the gauge of each change, also when time alone makes it half-open', async () => {
    const { state, reported, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    fail(failover, 'main', 20);
    await clock.advance(2499);
    expect(reported).to.deep.equal([`${ORB} main open`]);
    await clock.advance(1);
    expect(reported.slice(1)).to.deep.equal([`${ORB} main half_open`]);
    attempt(failover, 'main', 'bad');
    await clock.advance(5000);
    attempt(failover, 'main', 'good');
    expect(reported.slice(2)).to.deep.equal([`${ORB} main open`, `${ORB} main half_open`, `${ORB} main closed`]);
  });

  it('tells who listens that a breaker opened, until they end it', () => {
    const { state } = aBench();
    const heard: string[] = [];
    const end = state.onBreakerOpened((namespace, orbId, provider) => heard.push(`${namespace}/${orbId} ${provider}`));
    fail(state.of(anOrb(ORB)), 'main', 20);
    expect(heard).to.deep.equal([`acme/${ORB} main`]);
    end();
    fail(state.of(anOrb(ORB)), 'b', 20);
    expect(heard).to.have.lengthOf(1);
  });

  it('lets every provider be tried within 15 s while all of them are open', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    fail(failover, 'main');
    for (let doubling = 0; doubling < 8; doubling += 1) {
      await clock.advance(300_000);
      attempt(failover, 'main', 'bad');
    }
    const until = (): number => {
      const standing = failover.standing('main', sender('acme.set'));
      return standing.kind === 'breaker' ? standing.until - clock.monotonic() : 0;
    };
    expect(until()).to.equal(150_000);
    fail(failover, 'b');
    expect(until()).to.equal(7500);
  });

  it('lets one attempt find out, and the others wait', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    fail(failover, 'main');
    await clock.advance(5000);
    const ticket = failover.admit('main');
    expect([ticket === undefined, failover.admit('main')]).to.deep.equal([false, undefined]);
    expect(failover.standing('main', sender('acme.set')).kind).to.equal('breaker');
  });

  it('cools a provider for everybody, for the longest time that was asked for', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    failover.cool('main', 9000);
    failover.cool('main', 2000);
    expect(failover.standing('main', sender('acme.set'))).to.deep.equal({ kind: 'cooling', until: 9000, asked: 9000 });
    expect(state.cooling('acme', ORB)).to.deep.equal({ main: START + 9000 });
    await clock.advance(9000);
    expect(failover.standing('main', sender('acme.set'))).to.deep.equal({ kind: 'free' });
    expect(state.cooling('acme', ORB)).to.deep.equal({});
  });

  it('cools a provider for five minutes when it asks for longer, and tells the pause that it asked for', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    failover.cool('main', 3_600_000);
    const standing = { kind: 'cooling', until: 300_000, asked: 3_600_000 };
    expect(failover.standing('main', sender('acme.set'))).to.deep.equal(standing);
    await clock.advance(300_000);
    expect(failover.standing('main', sender('acme.set'))).to.deep.equal({ kind: 'free' });
  });

  it('cools a provider for one Orbiset, until its secrets change, the time is over, or it is taken again', async () => {
    const { state, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    const refused = { kind: 'credential', until: 30_000 } as const;
    const kind = (orbiset: string, secrets?: string): string =>
      failover.standing('main', sender(orbiset, secrets)).kind;
    failover.coolTenant('main', sender('acme.set'), refused);
    expect([kind('acme.set'), kind('acme.other'), kind('acme.set')]).to.deep.equal([
      'credential',
      'free',
      'credential',
    ]);
    expect([kind('acme.set', 'new'), kind('acme.set')]).to.deep.equal(['free', 'free']);
    failover.coolTenant('main', sender('acme.set'), refused);
    failover.warmTenant('main', sender('acme.set'));
    expect(kind('acme.set')).to.equal('free');
    failover.coolTenant('main', sender('acme.set'), refused);
    await clock.advance(30_000);
    expect(kind('acme.set')).to.equal('free');
  });

  it('forgets a provider that the next manifest does not have, and keeps the others', () => {
    const { state } = aBench();
    const orb = anOrb(ORB);
    const failover = state.of(orb);
    fail(failover, 'main');
    fail(failover, 'b');
    state.of({ ...orb, order: ['main'], providers: new Map([...orb.providers].filter(([name]) => name === 'main')) });
    expect(state.breakers('acme', ORB)).to.deep.equal({ main: 'open' });
    state.of(orb);
    expect(state.breakers('acme', ORB)).to.deep.equal({ main: 'open', b: 'closed' });
  });

  it('leaves no open breaker in the gauge of a provider that it forgets: it may come back', () => {
    const { state, reported } = aBench();
    const orb = anOrb(ORB);
    fail(state.of(orb), 'b');
    const without = { order: ['main'], providers: new Map([...orb.providers].filter(([name]) => name === 'main')) };
    state.of({ ...orb, ...without });
    state.of(orb);
    expect(state.breakers('acme', ORB)).to.deep.equal({ main: 'closed', b: 'closed' });
    expect(reported).to.deep.equal([`${ORB} b open`, `${ORB} b closed`]);
  });

  it('begins no series again of an Orb that is gone', async () => {
    const { state, reported, gone, clock } = aBench();
    const failover = state.of(anOrb(ORB));
    gone.add(ORB);
    fail(failover, 'main');
    await clock.advance(60_000);
    expect(reported).to.deep.equal([]);
  });

  it('drops what it knows of Orbs that are gone, when there are many', () => {
    const { state, gone } = aBench();
    const orb = anOrb(ORB);
    fail(state.of(orb), 'main');
    gone.add(ORB);
    for (let other = 0; other < 1000; other += 1) state.of({ ...orb, namespace: `tenant-${other}` });
    gone.clear();
    expect(state.breakers('acme', ORB)).to.deep.equal({});
  });

  it('knows nothing of an Orb that was never called', () => {
    const { state } = aBench();
    expect([state.breakers('acme', ORB), state.cooling('acme', ORB)]).to.deep.equal([{}, {}]);
  });
});
