import { expect } from 'chai';
import { cachedFigures, type FiguresQuery } from '../../../../api-server/providers/figures-source.ts';
import type { FiguresWish } from '../../../../api-server/providers/port.ts';
import { figuresOf, type FailoverFigures } from '../../../../core/failover/figures.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

const FIGURES: FailoverFigures = figuresOf(
  {
    verdict: { kind: 'unavailable', why: 'x' },
    memory: { degraded: 0, trial: 0, recovered: 0, latched: null },
    explain: { rule: 'healthy', limitMs: null, baseMs: null, window: null, minSamples: 20, candidates: [] },
  },
  { evaluatedAt: 1, ageMs: 1 },
  {},
);

function wish(name = 'mailer', provider = 'main'): FiguresWish {
  const parsed = parseOrbId(`acme.${name}@1.0.0`);
  if (!parsed.ok) throw new TypeError(name);
  return { namespace: 'acme', orbId: parsed.value, quantile: 0.95, active: { provider, since: 0 } };
}

const hanging: FiguresQuery = (_orb, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const good: FiguresQuery = () => Promise.resolve(FIGURES);

const counted = (query: FiguresQuery) => {
  const clock = createFakeClock(1_000_000);
  const asked: string[] = [];
  const counting: FiguresQuery = (orb, signal) => {
    asked.push(orb.orbId);
    return query(orb, signal);
  };
  return { asked, clock, figures: cachedFigures(counting, { clock, logger: { debug: () => undefined } }) };
};

describe('cachedFigures', () => {
  it('asks once for all callers of 15 s, also for those that come at once', async () => {
    const { figures, asked, clock } = counted(good);
    expect(await Promise.all([figures(wish()), figures(wish())])).to.deep.equal([FIGURES, FIGURES]);
    await clock.advance(14_999);
    await figures(wish());
    expect(asked.length).to.equal(1);
    await clock.advance(1);
    await figures(wish());
    expect(asked.length).to.equal(2);
  });

  it('asks for each Orb, and again when another provider is active', async () => {
    const { figures, asked } = counted(good);
    for (const orb of [wish(), wish('other'), wish('mailer', 'backup')]) await figures(orb);
    expect(asked.length).to.equal(3);
  });

  it('waits 2 s, and asks again 2 s later', async () => {
    const { figures, asked, clock } = counted(hanging);
    const first = figures(wish());
    await clock.advance(2000);
    expect(await first).to.equal(undefined);
    await figures(wish());
    expect(asked.length).to.equal(1);
    await clock.advance(2000);
    void figures(wish());
    expect(asked.length).to.equal(2);
    await clock.advance(2000);
  });

  it('answers a query that rejects with nothing', async () => {
    const { figures } = counted(() => Promise.reject(new Error('no')));
    expect(await figures(wish())).to.equal(undefined);
  });

  it('remembers at most 1000 Orbs', async () => {
    const { figures, asked } = counted(good);
    for (let number = 0; number <= 1000; number += 1) await figures(wish(`n${number}`));
    await figures(wish('n1000'));
    expect(asked.length).to.equal(1001);
    await figures(wish('n0'));
    expect(asked.length).to.equal(1002);
  });
});
