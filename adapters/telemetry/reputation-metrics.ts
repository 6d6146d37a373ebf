import { Counter, Gauge, type Registry } from 'prom-client';
import { ORB_STATUSES, TIERS } from '../../core/log-entry/entry-members.ts';
import { STAGES, type Stage } from '../../core/publication/validation-report.ts';

/** How a request to publish ended; `known`: the version was published before with the same bytes. */
const PUBLISH_OUTCOMES = ['listed', 'known', 'checked', 'refused', 'failed'] as const;
export type PublishOutcome = (typeof PUBLISH_OUTCOMES)[number];

/** How an evaluation ended. */
const EVALUATION_RESULTS = ['done', 'unknown', 'conflict', 'fenced', 'failed'] as const;
type EvaluationResult = (typeof EVALUATION_RESULTS)[number];

const ORG_STATES = ['verified', 'unverified', 'suspended'] as const;

/** What publishing and evaluating count. */
export interface ReputationCounters {
  /** @param stage that refused the request or failed; `listing` when none did */
  readonly published: (outcome: PublishOutcome, stage: Stage) => void;
  readonly evaluated: (result: EvaluationResult) => void;
}

/** Values that are read at a scrape. Times are ms since epoch; undefined: there is nothing that has one. */
export interface ReputationSources {
  readonly publications: () => Iterable<{
    readonly status: (typeof ORB_STATUSES)[number];
    readonly tier: (typeof TIERS)[number];
  }>;
  /** Of the versions that count, when the one was evaluated whose evaluation is the oldest. */
  readonly oldestEvaluation: () => number | undefined;
  /** When the first of the certificates in force expires; after a rejection the metric has no value. */
  readonly nextCertificateExpiry: () => Promise<number | undefined>;
  /** Published versions whose evaluation is due. */
  readonly backlog: () => number;
  readonly orgs: () => Iterable<{ readonly state: (typeof ORG_STATES)[number] }>;
  /** False after a check found a score that does not follow from the log, until a check of that version is good. */
  readonly isConsistent: () => boolean;
}

/** Counters of publishing and evaluating; each series exists with 0 from the start. */
export function createReputationCounters(registry: Registry): ReputationCounters {
  const registers = [registry];
  const published = new Counter({
    name: 'orb_publish_total',
    help: 'Requests to publish, by how they ended and the stage that ended them.',
    labelNames: ['outcome', 'stage'],
    registers,
  });
  for (const stage of STAGES) published.inc({ outcome: 'refused', stage }, 0);
  for (const outcome of PUBLISH_OUTCOMES) published.inc({ outcome, stage: 'listing' }, 0);
  const evaluated = new Counter({
    name: 'orb_reputation_evaluations_total',
    help: 'Evaluations of published versions by this process, by result.',
    labelNames: ['result'],
    registers,
  });
  for (const result of EVALUATION_RESULTS) evaluated.inc({ result }, 0);
  return {
    published: (outcome, stage) => published.inc({ outcome, stage }),
    evaluated: (result) => evaluated.inc({ result }),
  };
}

const MS = 1000;

/** A time that the metric lacks while there is none: 0 would be a time long ago. */
function timeGauge(registry: Registry, name: string, help: string, read: () => Promise<number | undefined>): void {
  const made: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const ms = await read().catch(() => undefined);
      made.remove();
      if (ms !== undefined) made.set(ms / MS);
    },
  });
}

function observeOrgs(registry: Registry, { orgs }: ReputationSources): void {
  const made: Gauge<'result'> = new Gauge({
    name: 'orb_org_verification',
    help: 'Organisations by the result of their newest verification.',
    labelNames: ['result'],
    registers: [registry],
    collect: () => {
      for (const result of ORG_STATES) made.set({ result }, 0);
      for (const { state } of orgs()) made.inc({ result: state });
    },
  });
}

function observePublications(registry: Registry, { publications }: ReputationSources): void {
  const made: Gauge<'status' | 'tier'> = new Gauge({
    name: 'orb_publications',
    help: 'Published versions by status and tier.',
    labelNames: ['status', 'tier'],
    registers: [registry],
    collect: () => {
      for (const status of ORB_STATUSES) for (const tier of TIERS) made.set({ status, tier }, 0);
      for (const { status, tier } of publications()) made.inc({ status, tier });
    },
  });
}

/**
 * Metrics of what is published. Every replica has the same values, except for the backlog, and for the result of the daily
 * check: only the replica that evaluates may have 0.
 */
export function observeReputation(registry: Registry, sources: ReputationSources): void {
  observePublications(registry, sources);
  observeOrgs(registry, sources);
  const backlog: Gauge = new Gauge({
    name: 'orb_publication_backlog',
    help: 'Published versions whose evaluation is due.',
    registers: [registry],
    collect: () => backlog.set(sources.backlog()),
  });
  const consistent: Gauge = new Gauge({
    name: 'orb_reputation_consistent',
    help: 'Whether every score that was checked against the entries of the log follows from them: 1 or 0.',
    registers: [registry],
    collect: () => consistent.set(Number(sources.isConsistent())),
  });
  timeGauge(
    registry,
    'orb_reputation_oldest_evaluation_timestamp_seconds',
    'When the published version was evaluated that waits longest for its next evaluation.',
    () => Promise.resolve(sources.oldestEvaluation()),
  );
  timeGauge(
    registry,
    'orb_certificate_next_expiry_timestamp_seconds',
    'When the first of the certificates in force expires.',
    sources.nextCertificateExpiry,
  );
}
