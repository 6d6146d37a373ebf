import { expect } from 'chai';
import fc from 'fast-check';
import {
  applySignal,
  EMPTY_STATE,
  viewOf,
  type SignalState,
  type StateEvent,
} from '../../../../../core/ingestion/incidents/signal-state.ts';
import { SEVERITIES } from '../../../../../core/ingestion/mapping/signal.ts';

// The long form: `npm run fuzz -- order`.
const numRuns = Number(process.env['ORB_PROPERTY_RUNS'] ?? 300);

const event = (status: StateEvent['status'], at: number, form: Partial<StateEvent> = {}): StateEvent => ({
  status,
  severity: 'warning',
  startsAt: at,
  endsAt: at,
  occurredAt: at,
  ...form,
});
const stateOf = (events: readonly StateEvent[]): SignalState => events.reduce(applySignal, EMPTY_STATE);

const time = fc.integer({ min: 0, max: 200 });
const anyEvent: fc.Arbitrary<StateEvent> = fc.record({
  status: fc.constantFrom('firing', 'resolved', 'acknowledged', 'suppressed', 'info'),
  severity: fc.constantFrom(...SEVERITIES),
  startsAt: time,
  endsAt: time,
  occurredAt: time,
});
/** A set of signals, and the same ones in another order with some of them repeated. */
const disordered = fc.array(anyEvent, { maxLength: 150, size: 'max' }).chain((events) =>
  fc
    .tuple(fc.shuffledSubarray(events), fc.shuffledSubarray(events, { minLength: events.length }))
    .chain(([repeated, all]) => {
      const both = [...all, ...repeated];
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(both, { minLength: both.length }));
    }),
);

describe('the state of a fingerprint', () => {
  it('is the same for every order and repetition of the signals', () => {
    fc.assert(
      fc.property(disordered, ([events, others]) => {
        const [one, other] = [stateOf(events), stateOf(others)];
        expect(other).to.deep.equal(one);
      }),
      { numRuns },
    );
  });

  const ROWS: readonly [why: string, events: readonly StateEvent[], expected: object][] = [
    ['nothing', [], { kind: 'none' }],
    ['a firing', [event('firing', 5)], { kind: 'firing', startedAt: 5, severity: 'warning' }],
    [
      'a repeat that is worse',
      [event('firing', 5), event('firing', 5, { severity: 'critical' })],
      { kind: 'firing', severity: 'critical' },
    ],
    [
      'a repeat that is less severe',
      [event('firing', 5), event('firing', 6, { severity: 'low' })],
      { severity: 'warning' },
    ],
    ['a resolve', [event('firing', 5), event('resolved', 9)], { kind: 'resolved', endedAt: 9, hasFired: true }],
    ['a resolve at its start', [event('firing', 5), event('resolved', 5)], { kind: 'resolved' }],
    ['a late firing of what ended', [event('resolved', 9), event('firing', 5)], { kind: 'resolved', endedAt: 9 }],
    ['a firing after the end', [event('resolved', 9), event('firing', 10)], { kind: 'firing', startedAt: 10 }],
    ['an end before the start', [event('firing', 10), event('resolved', 9)], { kind: 'firing', startedAt: 10 }],
    ['a resolve alone', [event('resolved', 9)], { kind: 'resolved', hasFired: false }],
    ['an acknowledgement', [event('firing', 5), event('acknowledged', 6)], { kind: 'acknowledged', startedAt: 5 }],
    ['an acknowledgement of before', [event('acknowledged', 4), event('firing', 5)], { kind: 'firing' }],
    [
      'a firing while acknowledged',
      [event('firing', 5), event('acknowledged', 6), event('firing', 7)],
      { kind: 'acknowledged' },
    ],
    ['a suppression', [event('firing', 5), event('suppressed', 6)], { kind: 'suppressed' }],
    ['information', [event('info', 5)], { kind: 'none' }],
  ];
  for (const [why, events, expected] of ROWS)
    it(`answers ${why}`, () => expect(viewOf(stateOf(events))).to.include(expected));
});
