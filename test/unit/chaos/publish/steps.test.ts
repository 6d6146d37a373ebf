import { expect } from 'chai';
import { readEntry, type LogEntry } from '../../../../core/log-entry/entry.ts';
import { stepOf, StepCounts, stepsNeverHit, type Reached } from '../../../chaos/publish/steps.ts';
import {
  auditEntry,
  certificateEntry,
  publishEntry,
  statusEntry,
  testReportEntry,
} from '../../../support/reputation-rows.ts';

const PACE = { beforeTestsMs: 10, testedMs: 40 };

const entriesOf = (texts: readonly string[]): readonly LogEntry[] => texts.flatMap((text) => readEntry(text) ?? []);
const reached = (change: Partial<Reached>): Reached => ({
  kind: 'publish',
  share: 1,
  elapsedMs: 20,
  isAnswered: false,
  entries: [],
  isProjected: false,
  ...change,
});

const audited = entriesOf([auditEntry()]);
const listed = entriesOf([auditEntry(), publishEntry(), testReportEntry()]);
const certified = [...listed, ...entriesOf([certificateEntry(0)])];
const yanked = entriesOf([statusEntry('yanked')]);

describe('the step that a kill hit', () => {
  const rows: readonly (readonly [why: string, change: Partial<Reached>, step: string])[] = [
    ['half a body came', { share: 0.5 }, 'half of the request sent'],
    ['the tests have not begun', { elapsedMs: 9 }, 'sent, before the tests'],
    ['the tests run', { elapsedMs: 10 }, 'in the tests'],
    ['the report is audited', { entries: audited }, 'report audited, not listed'],
    ['it is listed', { entries: listed }, 'listed, without a view'],
    ['its view is noted', { entries: listed, isProjected: true }, 'listed with a view, not evaluated'],
    ['it has a certificate', { entries: certified, isProjected: true }, 'evaluated and certified, not answered'],
    ['the caller has the answer', { entries: certified, isAnswered: true }, 'answered'],
    ['an object waits', { kind: 'apply' }, 'applied, nothing written'],
    ['an object is audited', { kind: 'apply', entries: audited }, 'report audited, not listed'],
    ['an object is listed', { kind: 'apply', entries: listed }, 'listed, not evaluated'],
    ['an object is certified', { kind: 'apply', entries: certified }, 'evaluated and certified, not reported'],
    ['an object says it', { kind: 'apply', entries: certified, isAnswered: true }, 'reported in the status'],
    ['the same is published again', { kind: 'again' }, 'sent, nothing to write'],
    ['a report was sent', { kind: 'report' }, 'nothing written'],
    ['a report is audited', { kind: 'report', entries: audited }, 'report audited, not accepted'],
    ['a report is accepted', { kind: 'report', entries: listed.slice(2) }, 'report accepted, not answered'],
    ['a yank was sent', { kind: 'yank' }, 'nothing written'],
    ['a yank is written', { kind: 'yank', entries: yanked }, 'written, not answered'],
    ['a yank is answered', { kind: 'yank', entries: yanked, isAnswered: true }, 'answered'],
  ];
  for (const [why, change, step] of rows)
    it(`is "${step}" when ${why}`, () => {
      expect(stepOf(reached(change), PACE)).to.equal(step);
    });

  it('is counted in a row for each step of the acts, also one that was never hit', () => {
    const counts = new StepCounts();
    counts.add('yank', 'answered');
    counts.add('yank', 'answered');
    expect(counts.rows(['yank', 'restart'])).to.deep.equal([
      ['yank: nothing written', 0],
      ['yank: written, not answered', 0],
      ['yank: answered', 2],
      ['restart: while it starts', 0],
    ]);
  });

  it('is missing when no mode hit it', () => {
    const [standalone, cluster] = [new StepCounts(), new StepCounts()];
    standalone.add('yank', 'answered');
    cluster.add('yank', 'nothing written');
    const counts = [...standalone.rows(['yank', 'restart']), ...cluster.rows(['yank'])];
    expect(stepsNeverHit(counts)).to.deep.equal(['yank: written, not answered', 'restart: while it starts']);
  });
});
