import { expect } from 'chai';
import {
  takeRounds,
  type KeptRound,
  type KeptService,
  type Round,
  type RoundProblem,
} from '../../../../core/status/rounds.ts';
import type { ServiceState } from '../../../../core/status/service.ts';

const NOW = 1_800_000_000_000;
const NOTHING: KeptService = { end: -Infinity, rounds: new Map() };
const round = (at: number, until: number, state: ServiceState = 'operational'): Round => ({
  at: NOW + at,
  until: NOW + until,
  states: { runtime: state },
});
const kept = (...rounds: readonly KeptRound[]): KeptService => ({
  end: rounds.at(-1)?.until ?? -Infinity,
  rounds: new Map(rounds.map((given) => [given.at, given])),
});
const keptRound = (at: number, until: number): KeptRound => ({
  at: NOW + at,
  until: NOW + until,
  state: 'operational',
});
const take = (rounds: readonly Round[], service: KeptService = NOTHING) =>
  takeRounds(rounds, { of: (name) => (name === 'runtime' ? service : NOTHING), windows: [] }, NOW);
const ends = (verdict: ReturnType<typeof take>): unknown =>
  verdict.kind === 'taken' ? verdict.stretches.map(({ from, to }) => [from - NOW, to - NOW]) : verdict;

describe('takeRounds', () => {
  const DAY = 86_400_000;
  const refused: readonly (readonly [
    problem: RoundProblem,
    why: string,
    rounds: readonly Round[],
    service?: KeptService,
  ])[] = [
    ['future', 'one that ends 5 001 ms from now', [round(-1000, 5001)]],
    ['too-old', 'one that began more than 30 days ago', [round(-30 * DAY - 1, -30 * DAY + 5)]],
    ['too-long', 'one that holds for more than 7.5 minutes', [round(-450_001, 0)]],
    ['order', 'one of no length', [round(-10, -10)]],
    ['order', 'one that begins before the end of the one before', [round(-60, -30), round(-31, 0)]],
    ['overlap', 'one within what is kept', [round(-40, 0)], kept(keptRound(-60, -30))],
    ['overlap', 'a longer one that is not the last', [round(-90, -50)], kept(keptRound(-90, -60), keptRound(-60, -30))],
    ['changed', 'a repeat with another state', [round(-60, -30, 'unknown')], kept(keptRound(-60, -30))],
  ];
  for (const [problem, why, rounds, service] of refused) {
    it(`refuses with ${problem} ${why}`, () => {
      expect(take(rounds, service)).to.deep.equal({ kind: 'refused', position: rounds.length - 1, problem });
    });
  }

  it('takes rounds behind each other, with gaps between them', () => {
    expect(ends(take([round(-90, -60), round(-60, -30), round(-20, 5000)]))).to.deep.equal([
      [-90, -60],
      [-60, -30],
      [-20, 5000],
    ]);
  });

  it('adds nothing for a repeat', () => {
    expect(ends(take([round(-60, -30)], kept(keptRound(-60, -30))))).to.deep.equal([]);
  });

  it('adds the longer end of the last round, and the round behind it', () => {
    const verdict = take([round(-60, -30), round(-30, -10)], kept(keptRound(-60, -50)));
    expect(ends(verdict)).to.deep.equal([
      [-50, -30],
      [-30, -10],
    ]);
    expect(verdict.kind === 'taken' && verdict.rounds.map(({ isNew }) => isNew)).to.deep.equal([false, true]);
  });

  it('takes each service by itself', () => {
    const both: Round = { ...round(-30, 0), states: { runtime: 'major_outage', ingestion: 'operational' } };
    const verdict = take([both]);
    expect(verdict.kind === 'taken' && verdict.stretches.map(({ service, state }) => [service, state])).to.deep.equal([
      ['runtime', 'major_outage'],
      ['ingestion', 'operational'],
    ]);
  });
});
