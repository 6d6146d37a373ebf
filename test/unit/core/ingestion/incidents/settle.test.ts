import { expect } from 'chai';
import fc from 'fast-check';
import { actOn, type IncidentAct } from '../../../../../core/ingestion/incidents/act.ts';
import type { Member } from '../../../../../core/ingestion/incidents/episodes.ts';
import type { Incident, IncidentUpdate } from '../../../../../core/ingestion/incidents/incident.ts';
import { settle } from '../../../../../core/ingestion/incidents/settle.ts';
import {
  applySignal,
  EMPTY_STATE,
  type SignalState,
  type StateEvent,
} from '../../../../../core/ingestion/incidents/signal-state.ts';
import { SEVERITIES } from '../../../../../core/ingestion/mapping/signal.ts';

// The long form: `npm run fuzz -- order`.
const numRuns = Number(process.env['ORB_PROPERTY_RUNS'] ?? 200);
const MINUTE = 60_000;
const EFFECTS: Member['effects'] = { minSeverity: 'warning', forMs: 0, quietPeriodMs: 2 * MINUTE };
const GROUP = {
  tenant: 'acme',
  groupKey: 'g',
  target: { kind: 'orb', orb: 'acme.mailer@1.2.0' },
  host: null,
  fingerprint: 'f',
  title: 'mailer errors',
} as const;

type Step = readonly [at: number, event: Partial<StateEvent> | IncidentAct | 'time', source?: string];

const isAct = (step: Partial<StateEvent> | IncidentAct): step is IncidentAct => 'kind' in step;

const eventAt = (at: number, form: Partial<StateEvent>): StateEvent => ({
  status: 'firing',
  severity: 'high',
  startsAt: at,
  endsAt: at,
  occurredAt: at,
  ...form,
});

interface Group {
  readonly incidents: Map<string, Incident>;
  readonly updates: IncidentUpdate[];
}

/** One group, as the worker keeps it; times are minutes. */
class GroupKeeper implements Group {
  readonly incidents = new Map<string, Incident>();
  readonly updates: IncidentUpdate[] = [];
  readonly #member: Partial<Member>;
  readonly #states = new Map<string, SignalState>();
  hasOtherSource = false;

  constructor(member: Partial<Member> = {}) {
    this.#member = member;
  }

  get newest(): Incident | undefined {
    return [...this.incidents.values()].at(-1);
  }

  step([minute, what, source = 'acme/grafana']: Step): this {
    const now = minute * MINUTE;
    if (what !== 'time' && isAct(what)) this.#act(what, now);
    else {
      if (what !== 'time') this.#apply(source, eventAt(now, what));
      this.settle(now, what === 'time' ? 'time' : 'signal');
    }
    return this;
  }

  #apply(source: string, event: StateEvent): void {
    this.#states.set(source, applySignal(this.#states.get(source) ?? EMPTY_STATE, event));
  }

  settle(now: number, by: 'signal' | 'time'): void {
    const members = [...this.#states].map(([source, state]): Member => ({
      source,
      trust: 'signed',
      monitor: 'consumer',
      effects: EFFECTS,
      ...this.#member,
      state,
    }));
    const newId = (): string => `inc_${this.incidents.size + 1}`;
    const { newest, hasOtherSource } = this;
    for (const { incident, updates } of settle({ group: GROUP, newest, members, hasOtherSource, now, by, newId })) {
      this.incidents.set(incident.incidentId, incident);
      this.updates.push(...updates);
    }
  }

  #act(act: IncidentAct, now: number): void {
    if (this.newest === undefined) throw new Error('there is no incident');
    const result = actOn(this.newest, act, { now, by: 'key' });
    if (!result.ok) throw new Error(result.detail);
    this.incidents.set(result.incident.incidentId, result.incident);
    this.updates.push(...result.updates);
  }
}

const after = (steps: readonly Step[], member: Partial<Member> = {}): GroupKeeper => {
  const keeper = new GroupKeeper(member);
  for (const step of steps) keeper.step(step);
  return keeper;
};

const FIRES = {};
const ENDS = { status: 'resolved' } as const;

describe('incidents of a group', () => {
  const ROWS: readonly [why: string, steps: readonly Step[], statuses: readonly string[], member?: Partial<Member>][] =
    [
      ['open on a firing', [[1, FIRES]], ['open']],
      ['wait for `for`', [[1, FIRES]], ['pending'], { effects: { ...EFFECTS, forMs: MINUTE } }],
      ['open after `for`', [[1, FIRES], [3, 'time']], ['open'], { effects: { ...EFFECTS, forMs: 2 * MINUTE } }], // prettier-ignore
      ['need the least severity', [[1, { severity: 'low' }]], []],
      ['open when the severity rises', [[1, { severity: 'low' }], [2, { severity: 'critical' }]], ['open']], // prettier-ignore
      ['stay open in the quiet period', [[1, FIRES], [2, ENDS], [3, 'time']], ['open']], // prettier-ignore
      ['end after the quiet period', [[1, FIRES], [2, ENDS], [4, 'time']], ['resolved']], // prettier-ignore
      ['keep their id when the problem is back within 10 min', [[1, FIRES], [2, ENDS], [4, 'time'], [13, FIRES]], ['open']], // prettier-ignore
      ['are two when the problem is back later', [[1, FIRES], [2, ENDS], [4, 'time'], [15, FIRES]], ['resolved', 'open']], // prettier-ignore
      ['are two when no time passed in between', [[1, FIRES], [2, ENDS], [15, FIRES]], ['resolved', 'open']], // prettier-ignore
      ['stay open while one source fires', [[1, FIRES], [1, FIRES, 'acme/b'], [2, ENDS], [9, 'time']], ['open']], // prettier-ignore
      ['are unconfirmed by a source of low trust', [[1, FIRES]], ['unconfirmed'], { trust: 'low' }],
      ["are unconfirmed by a publisher's own monitor", [[1, FIRES]], ['unconfirmed'], { monitor: 'publisher' }],
      ['are confirmed by a second source', [[1, FIRES], [2, FIRES, 'acme/b']], ['open'], { trust: 'low' }], // prettier-ignore
      ['are acknowledged by the vendor', [[1, FIRES], [2, { status: 'acknowledged' }]], ['acknowledged']], // prettier-ignore
      ['end when the vendor suppresses them', [[1, FIRES], [2, { status: 'suppressed' }], [5, 'time']], ['resolved']], // prettier-ignore
      ['are acknowledged by a person', [[1, FIRES], [2, { kind: 'ack' }], [3, FIRES]], ['acknowledged']], // prettier-ignore
      ['are resolved by a person while the vendor fires', [[1, FIRES], [2, { kind: 'resolve' }], [3, FIRES]], ['resolved']], // prettier-ignore
      ['are new after a person resolved the last', [[1, FIRES], [2, { kind: 'resolve' }], [14, ENDS], [15, FIRES]], ['resolved', 'open']], // prettier-ignore
      ['stay withdrawn', [[1, FIRES], [2, { kind: 'withdraw', reason: 'mine' }], [3, FIRES], [4, ENDS], [5, FIRES]], ['withdrawn']], // prettier-ignore
      ['end before they were seen to begin', [[9, { ...ENDS, endsAt: 2 * MINUTE }], [9, { startsAt: MINUTE }]], ['resolved']], // prettier-ignore
    ];
  for (const [why, steps, statuses, member] of ROWS)
    it(why, () => {
      const { incidents } = after(steps, member);
      expect([...incidents.values()].map(({ status }) => status)).to.deep.equal(statuses);
    });

  it('flap after four changes in ten minutes, and end after ten minutes of calm', () => {
    const keeper = after([1, 2, 3, 4].map((at): Step => [at, at % 2 === 1 ? FIRES : ENDS]));
    expect(keeper.newest).to.include({ status: 'open', flapping: true, dueAt: 14 * MINUTE });
    const told = keeper.updates.length;
    for (const at of [5, 6, 7, 8]) keeper.step([at, at % 2 === 1 ? FIRES : ENDS]);
    expect(keeper.updates.length).to.equal(told);
    expect(keeper.step([17.5, 'time']).newest).to.include({ status: 'open', flapping: true });
    expect(keeper.step([18, 'time']).newest).to.include({ status: 'resolved', flapping: false });
    expect(keeper.incidents.size).to.equal(1);
  });

  it('tell what happened, in order', () => {
    const keeper = after([
      [1, FIRES],
      [2, { severity: 'critical' }],
      [3, { kind: 'ack' }],
      [4, { kind: 'note', body: 'rolled back' }],
      [5, ENDS],
      [7, 'time'],
      [8, FIRES],
    ]);
    expect(keeper.updates.map(({ by, text }) => `${by}: ${text}`)).to.deep.equal([
      'signal: opened',
      'signal: severity critical',
      'key: acknowledged',
      'key: rolled back',
      'time: resolved',
      'signal: reopened',
    ]);
  });

  it('add no updates while muted', () => {
    const keeper = after([
      [1, FIRES],
      [2, { kind: 'mute', until: 60 * MINUTE }],
      [3, { severity: 'critical' }],
    ]);
    expect(keeper.updates.map(({ text }) => text)).to.deep.equal(['opened', 'muted until 1970-01-01T01:00:00.000Z']);
    expect(keeper.newest).to.include({ status: 'open', severity: 'critical' });
  });

  const REFUSED: readonly [why: string, steps: readonly Step[]][] = [
    ['an acknowledgement of what ended', [[1, FIRES], [2, { kind: 'resolve' }], [3, { kind: 'ack' }]]], // prettier-ignore
    ['a second withdrawal', [[1, FIRES], [2, { kind: 'withdraw', reason: '' }], [3, { kind: 'withdraw', reason: '' }]]], // prettier-ignore
  ];
  for (const [why, steps] of REFUSED) it(`refuse ${why}`, () => expect(() => after(steps)).to.throw('it is'));
});

const time = fc.integer({ min: 0, max: 40 });
const anyStep = fc.record({
  source: fc.constantFrom('acme/a', 'acme/b'),
  status: fc.constantFrom('firing', 'resolved', 'acknowledged', 'suppressed'),
  severity: fc.constantFrom(...SEVERITIES),
  at: time,
});
type AnyStep = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const NOW = 41;

/** Everything arrives at one time, signal by signal. */
function arrived(signals: readonly AnyStep[]): GroupKeeper {
  const keeper = new GroupKeeper();
  for (const { source, status, severity, at } of signals) {
    const times = { startsAt: at * MINUTE, endsAt: at * MINUTE, occurredAt: at * MINUTE };
    keeper.step([NOW, { status, severity, ...times }, source]);
  }
  return keeper;
}

/** Who acknowledged what has ended is history: it depends on what was seen before. */
function shown(incident: Incident | undefined): object | undefined {
  if (incident === undefined || incident.status === 'pending') return undefined;
  const { status, severity, flapping, openedAt, acknowledgedAt, resolvedAt } = incident;
  return { status, severity, flapping, openedAt, resolvedAt, ...(resolvedAt === null ? { acknowledgedAt } : {}) };
}

describe('the order of signals', () => {
  const disordered = fc.array(anyStep, { maxLength: 30, size: 'max' }).chain((signals) => {
    const all = fc.shuffledSubarray(signals, { minLength: signals.length });
    return fc.tuple(fc.constant(signals), all, fc.shuffledSubarray(signals));
  });

  it('has no effect on the newest incident', () => {
    fc.assert(
      fc.property(disordered, ([signals, shuffled, repeated]) => {
        const [one, other] = [arrived(signals), arrived([...shuffled, ...repeated])];
        for (const keeper of [one, other]) keeper.settle(NOW * MINUTE, 'time');
        expect(shown(other.newest)).to.deep.equal(shown(one.newest));
      }),
      { numRuns },
    );
  });
});
