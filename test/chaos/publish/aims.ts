import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { EntryKind } from '../../../core/log-entry/entry.ts';
import type { ActKind, Pace, Step } from './steps.ts';

/** An act in progress, as the aim of a kill sees it. */
interface Moment {
  /** Whether an entry of this kind was written for the version since the act began. */
  readonly has: (kind: EntryKind) => boolean;
  readonly isProjected: () => boolean;
  /** Whether the caller has its answer, or the object its status. */
  readonly isAnswered: () => boolean;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly pace: Pace;
}

/** The moment of a kill: an act, and what is waited for after it began. */
export interface Aim {
  readonly kind: ActKind;
  /** The step that it is to hit. */
  readonly step: Step;
  /** Of the request's body; default 1. */
  readonly share?: number;
  readonly wait: (moment: Moment) => Promise<void>;
}

/** An act that takes longer is killed all the same. */
const LATE_MS = 8000;
/** The answer to a change of status comes some ms after its commit; that to a publication, 20 ms after its evaluation. */
const POLL_MS = 1;
const QUICK: ReadonlySet<EntryKind> = new Set(['audit', 'publish', 'test_report', 'orb_status']);
/** The commit of a listing takes some milliseconds, and its first evaluation waits a second for a checkpoint. */
const COMMIT_MS = 8;
const EVALUATION_MS = 1500;
const AFTER_ANSWER_MS = 80;
const LATER_MS = 2000;

type Holds = (moment: Moment) => boolean;

/** @param isQuick polls without a pause: what follows it takes less than a timer */
async function until(holds: Holds, moment: Moment, isQuick: boolean): Promise<void> {
  const end = performance.now() + LATE_MS;
  while (!holds(moment) && performance.now() < end) await (isQuick ? setImmediate() : delay(POLL_MS));
}

/** Some time between two bounds after the act began. */
const within =
  (bounds: (pace: Pace) => readonly [from: number, to: number]): Aim['wait'] =>
  async ({ random, pace }) => {
    const [from, to] = bounds(pace);
    await delay(from + random() * (to - from));
  };

/** As soon as something holds, or up to so many ms later. */
const after =
  (holds: Holds, laterMs = 0, isQuick = false): Aim['wait'] =>
  async (moment) => {
    await until((now) => holds(now) || now.isAnswered(), moment, isQuick);
    if (laterMs > 0) await delay(moment.random() * laterMs);
  };

const wrote = (kind: EntryKind, laterMs = 0): Aim['wait'] =>
  after((moment) => moment.has(kind), laterMs, QUICK.has(kind));
const isAnswered: Holds = (moment) => moment.isAnswered();

/** Moments of a publication over HTTP. */
const PUBLISH: readonly Aim[] = [
  { kind: 'publish', step: 'half of the request sent', share: 0.5, wait: within(() => [0, 40]) },
  { kind: 'publish', step: 'sent, before the tests', wait: within(({ beforeTestsMs }) => [0, beforeTestsMs]) },
  { kind: 'publish', step: 'in the tests', wait: within(({ beforeTestsMs, testedMs }) => [beforeTestsMs, testedMs]) },
  { kind: 'publish', step: 'report audited, not listed', wait: wrote('audit') },
  // Around the commit of the listing: one or the other side of it.
  { kind: 'publish', step: 'listed, without a view', wait: wrote('audit', COMMIT_MS) },
  { kind: 'publish', step: 'listed, without a view', wait: wrote('publish') },
  { kind: 'publish', step: 'listed with a view, not evaluated', wait: after((now) => now.isProjected(), 0, true) },
  { kind: 'publish', step: 'listed with a view, not evaluated', wait: wrote('publish', EVALUATION_MS) },
  { kind: 'publish', step: 'evaluated and certified, not answered', wait: wrote('certificate') },
  { kind: 'publish', step: 'answered', wait: after(isAnswered, AFTER_ANSWER_MS) },
];

/** Moments of acts on a version that is published. */
const LATER: readonly Aim[] = [
  { kind: 'again', step: 'sent, nothing to write', wait: within(({ testedMs }) => [0, testedMs]) },
  { kind: 'again', step: 'answered', wait: after(isAnswered, AFTER_ANSWER_MS) },
  { kind: 'report', step: 'nothing written', wait: within(({ testedMs }) => [0, testedMs]) },
  { kind: 'report', step: 'report audited, not accepted', wait: wrote('audit') },
  { kind: 'report', step: 'report accepted, not answered', wait: wrote('test_report') },
  { kind: 'report', step: 'answered', wait: after(isAnswered, LATER_MS) },
  { kind: 'deprecate', step: 'nothing written', wait: within(() => [0, 3]) },
  { kind: 'deprecate', step: 'written, not answered', wait: wrote('orb_status') },
  { kind: 'deprecate', step: 'answered', wait: after(isAnswered, LATER_MS) },
  { kind: 'yank', step: 'nothing written', wait: within(() => [0, 3]) },
  { kind: 'yank', step: 'written, not answered', wait: wrote('orb_status') },
  { kind: 'yank', step: 'answered', wait: after(isAnswered) },
  { kind: 'yank', step: 'answered', wait: after(isAnswered, LATER_MS) },
];

const RESTART: Aim = { kind: 'restart', step: 'while it starts', wait: () => Promise.resolve() };

/** Moments of a publication that is applied as an object. */
const APPLY: readonly Aim[] = [
  { kind: 'apply', step: 'applied, nothing written', wait: within(({ testedMs }) => [0, testedMs]) },
  { kind: 'apply', step: 'report audited, not listed', wait: wrote('audit') },
  { kind: 'apply', step: 'listed, not evaluated', wait: wrote('audit', COMMIT_MS) },
  { kind: 'apply', step: 'listed, not evaluated', wait: wrote('publish') },
  { kind: 'apply', step: 'listed, not evaluated', wait: wrote('publish', EVALUATION_MS) },
  { kind: 'apply', step: 'evaluated and certified, not reported', wait: wrote('certificate') },
  { kind: 'apply', step: 'reported in the status', wait: after(isAnswered, AFTER_ANSWER_MS) },
];

/** Moments of kills of standalone, and of the API of a cluster. */
export const STANDALONE_AIMS: readonly Aim[] = [...PUBLISH, ...LATER, RESTART];
export const CLUSTER_AIMS: readonly Aim[] = [...APPLY, ...PUBLISH, ...LATER];
