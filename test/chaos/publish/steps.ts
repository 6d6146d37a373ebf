import type { LogEntry } from '../../../core/log-entry/entry.ts';

/**
 * Steps that a kill can hit, by what the killed platform was doing. They are told apart by what the ledger's file holds
 * right after the kill, by whether the caller has its answer, and, before anything is written, by the time since the
 * request was sent.
 */
const STEPS = {
  publish: [
    'half of the request sent',
    'sent, before the tests',
    'in the tests',
    'report audited, not listed',
    'listed, without a view',
    'listed with a view, not evaluated',
    'evaluated and certified, not answered',
    'answered',
  ],
  again: ['sent, nothing to write', 'answered'],
  report: ['nothing written', 'report audited, not accepted', 'report accepted, not answered', 'answered'],
  deprecate: ['nothing written', 'written, not answered', 'answered'],
  yank: ['nothing written', 'written, not answered', 'answered'],
  apply: [
    'applied, nothing written',
    'report audited, not listed',
    'listed, not evaluated',
    'evaluated and certified, not reported',
    'reported in the status',
  ],
  restart: ['while it starts'],
} as const;

/** What is done when the kill comes. */
export type ActKind = keyof typeof STEPS;
export type Step = (typeof STEPS)[ActKind][number];

/** What is known of an act when its platform is dead. */
export interface Reached {
  readonly kind: ActKind;
  /** Of the body; below 1 the request was not complete. */
  readonly share: number;
  /** From the request to the kill, ms. */
  readonly elapsedMs: number;
  /** The caller has its answer; for an applied object: its status says so. */
  readonly isAnswered: boolean;
  /** Entries of this version since the act began. */
  readonly entries: readonly LogEntry[];
  readonly isProjected: boolean;
}

/** Time that a publication takes before its tests begin, ms: schema, ontology, organisation and version. */
export interface Pace {
  readonly beforeTestsMs: number;
  /** Until the tests have run. */
  readonly testedMs: number;
}

type Kinds = ReadonlySet<string>;

function publishStep(reached: Reached, kinds: Kinds, pace: Pace): Step {
  if (reached.isAnswered) return 'answered';
  if (kinds.has('certificate')) return 'evaluated and certified, not answered';
  if (kinds.has('publish')) return reached.isProjected ? 'listed with a view, not evaluated' : 'listed, without a view';
  if (kinds.has('audit')) return 'report audited, not listed';
  if (reached.share < 1) return 'half of the request sent';
  return reached.elapsedMs < pace.beforeTestsMs ? 'sent, before the tests' : 'in the tests';
}

function applyStep({ isAnswered }: Reached, kinds: Kinds): Step {
  if (isAnswered) return 'reported in the status';
  if (kinds.has('certificate')) return 'evaluated and certified, not reported';
  if (kinds.has('publish')) return 'listed, not evaluated';
  return kinds.has('audit') ? 'report audited, not listed' : 'applied, nothing written';
}

function reportStep({ isAnswered }: Reached, kinds: Kinds): Step {
  if (isAnswered) return 'answered';
  if (kinds.has('test_report')) return 'report accepted, not answered';
  return kinds.has('audit') ? 'report audited, not accepted' : 'nothing written';
}

function statusStep({ isAnswered }: Reached, kinds: Kinds): Step {
  if (isAnswered) return 'answered';
  return kinds.has('orb_status') ? 'written, not answered' : 'nothing written';
}

/** The step that a kill hit. */
export function stepOf(reached: Reached, pace: Pace): Step {
  const kinds: Kinds = new Set(reached.entries.map(({ kind }) => kind));
  switch (reached.kind) {
    case 'publish':
      return publishStep(reached, kinds, pace);
    case 'apply':
      return applyStep(reached, kinds);
    case 'again':
      return reached.isAnswered ? 'answered' : 'sent, nothing to write';
    case 'report':
      return reportStep(reached, kinds);
    case 'deprecate':
    case 'yank':
      return statusStep(reached, kinds);
    case 'restart':
      return 'while it starts';
    default:
      return reached.kind satisfies never;
  }
}

/** `act: step`, and how often a kill hit it. */
export type StepCount = readonly [string, number];

/** Steps that were hit in no mode. @param counts of all modes */
export function stepsNeverHit(counts: readonly StepCount[]): readonly string[] {
  const hit = new Set(counts.filter(([, count]) => count > 0).map(([step]) => step));
  return [...new Set(counts.map(([step]) => step))].filter((step) => !hit.has(step));
}

/** How often each step was hit, by act and step. */
export class StepCounts {
  readonly #counts = new Map<string, number>();

  readonly add = (kind: ActKind, step: Step): void =>
    void this.#counts.set(`${kind}: ${step}`, this.of(kind, step) + 1);

  readonly of = (kind: ActKind, step: Step): number => this.#counts.get(`${kind}: ${step}`) ?? 0;

  /** A row for each step of these acts, in the order of the steps. */
  readonly rows = (kinds: readonly ActKind[]): readonly StepCount[] =>
    kinds.flatMap((kind) => STEPS[kind].map((step) => [`${kind}: ${step}`, this.of(kind, step)] as const));
}
