import { expect } from 'chai';
import { StatusMemory } from '../../../../api-server/status/status-memory.ts';
import type { NewStretch, TakenRound } from '../../../../core/status/rounds.ts';
import type { ServiceState } from '../../../../core/status/service.ts';

const DAY = 86_400_000;
const START = 20_000 * DAY;

const stretch = (from: number, to: number, state: ServiceState = 'operational'): NewStretch => ({
  service: 'runtime',
  from: START + from,
  to: START + to,
  state,
  announced: false,
});
const round = (at: number, until: number, state: ServiceState = 'operational'): TakenRound => ({
  service: 'runtime',
  at: START + at,
  until: START + until,
  state,
  inForce: state,
  isNew: true,
});
const spans = (memory: StatusMemory, now: number): readonly (readonly [number, number, ServiceState])[] =>
  memory.intervals('runtime', START + now).map(({ from, to, state }) => [from - START, to - START, state]);
/** Adds a round as it is told: with the end of its checks. */
const tell = (memory: StatusMemory, at: number, until: number, state: ServiceState = 'operational'): void =>
  memory.add([stretch(at, until, state)], [round(at, until, state)]);

describe('StatusMemory', () => {
  it('joins stretches of one state, and lets the last round hold for one and a half intervals', () => {
    const memory = new StatusMemory(30_000);
    tell(memory, 0, 1000);
    memory.add([stretch(1000, 30_000)], [{ ...round(0, 30_000), isNew: false }]);
    tell(memory, 30_000, 31_000);
    expect(spans(memory, 31_000)).to.deep.equal([[0, 31_000, 'operational']]);
    expect(spans(memory, 60_000)).to.deep.equal([[0, 60_000, 'operational']]);
    expect(spans(memory, 500_000)).to.deep.equal([[0, 75_000, 'operational']]);
    expect(memory.lastEnd()).to.equal(START + 31_000);
  });

  it('knows no state three intervals after the last round', () => {
    const memory = new StatusMemory(30_000);
    tell(memory, 0, 1000, 'partial_outage');
    expect(memory.states(START + 90_000).runtime).to.equal('partial_outage');
    expect(memory.states(START + 90_001).runtime).to.equal('unknown');
    expect(memory.states(START).ingestion).to.equal('unknown');
  });

  it('learns from two rounds how often the prober looks', () => {
    const memory = new StatusMemory();
    tell(memory, 0, 1000);
    tell(memory, 120_000, 121_000);
    expect(memory.states(START + 480_000).runtime).to.equal('operational');
    expect(memory.states(START + 480_001).runtime).to.equal('unknown');
  });

  it('keeps its pace over a gap, and over what it reads at its start', () => {
    const memory = new StatusMemory();
    memory.add([stretch(-600_000, -500_000)]);
    tell(memory, 0, 1000);
    expect(memory.states(START + 90_001).runtime).to.equal('unknown');
  });

  it('takes what it reads at its start for as old as it is', () => {
    const memory = new StatusMemory();
    memory.add([stretch(0, 10_000)]);
    expect(memory.states(START + 100_000).runtime).to.equal('operational');
    expect(memory.states(START + 100_001).runtime).to.equal('unknown');
  });

  it('puts an older history in front of what it knows, which wins', () => {
    const memory = new StatusMemory(30_000);
    tell(memory, 0, 1000, 'major_outage');
    memory.prepend([stretch(-90_000, -60_000), stretch(-30_000, 500), stretch(600, 900)]);
    expect(spans(memory, 1000)).to.deep.equal([
      [-90_000, -60_000, 'operational'],
      [-30_000, 0, 'operational'],
      [0, 1000, 'major_outage'],
    ]);
  });

  it('knows the newest rounds for repeats, and forgets stretches after 91 days', () => {
    const memory = new StatusMemory(30_000);
    tell(memory, 0, 1000);
    for (let index = 1; index <= 300; index += 1) tell(memory, index * 30_000, index * 30_000 + 1000);
    expect(memory.kept('runtime').rounds.size).to.equal(256);
    expect(memory.kept('runtime').rounds.has(START)).to.equal(false);
    tell(memory, 92 * DAY + 9_000_000, 92 * DAY + 9_001_000);
    expect(spans(memory, 92 * DAY)).to.have.lengthOf(1);
  });
});
