import { createLedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Scorer } from '../../adapters/reputation-worker/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { OperatorProof } from '../../core/publication/owner.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { ReputationCounters, ReputationSources } from '../../adapters/telemetry/reputation-metrics.ts';
import { CertificateExpiry } from './certificate-expiry.ts';
import { CertificateIssuer } from './certificates.ts';
import { DailyCheck } from './daily-check.ts';
import { DueVersions } from './due-versions.ts';
import { Evaluations } from './evaluations.ts';
import { Evaluator } from './evaluator.ts';
import { Listings } from './listings.ts';
import { NewestEvidence } from './newest-evidence.ts';
import { OrgRechecks } from './org-rechecks.ts';
import { Orgs, type ResolveTxt } from './orgs.ts';
import { createReputationReader } from './create-reader.ts';
import type { ReputationReader } from './reputation-reader.ts';
import { Retractions } from './retractions.ts';
import { Publisher } from './publish.ts';
import type { CheckTests } from './publish-request.ts';
import { StatusChanges } from './status-changes.ts';
import { StoredReputation } from './stored-reputation.ts';

export interface ReputationOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly issuer: string;
  readonly logOrigin: string;
  /** Name of this process in leases. */
  readonly holder: string;
  readonly platformNamespace: string;
  /** With the certificate key. */
  readonly certificates: SealTools;
  readonly random: (bytes: number) => Uint8Array;
  readonly resolveTxt: ResolveTxt;
  readonly allowedOrigins: readonly string[];
  readonly operator: OperatorProof;
  readonly checkTests: CheckTests;
  /** As in `PublisherParts`. */
  readonly longTurn: (tenant: string) => Promise<unknown>;
  readonly counters: ReputationCounters;
  /** Time between evaluations of an Orb with new runs, ms. */
  readonly intervalMs: number;
  readonly scorer: Scorer;
}

/** How long an answer to a publication waits for its first evaluation, ms (trust.md §8). */
const FIRST_EVALUATION_MS = 5000;
const POLL_MS = 20;

/** Publishing, scores and certificates of one process. */
export class Reputation {
  readonly listings: Listings;
  readonly publisher: Publisher;
  readonly orgs: Orgs;
  readonly statuses: StatusChanges;
  readonly retractions: Retractions;
  readonly evaluator: Evaluator;
  readonly evaluations: Evaluations;
  readonly reader: ReputationReader;
  /** Evaluations and certificates as they are stored, through a cache. */
  readonly stored: StoredReputation;
  /** Whose keys with the scope `admin` act for the platform. */
  readonly platformNamespace: string;
  readonly #options: ReputationOptions;
  readonly #check: DailyCheck;

  constructor(options: ReputationOptions) {
    const { ledger, clock, logger, issuer, logOrigin } = options;
    this.#options = options;
    this.platformNamespace = options.platformNamespace;
    this.listings = new Listings(ledger, clock);
    const { listings } = this;
    this.stored = new StoredReputation(ledger, listings);
    this.reader = createReputationReader({ ledger: this.stored, listings, clock, issuer, tools: options.certificates });
    const certificates = new CertificateIssuer({ ledger, tools: options.certificates, issuer, logOrigin });
    const { scorer } = options;
    this.evaluator = new Evaluator({ ledger, scorer, listings, certificates, clock, logOrigin });
    this.orgs = new Orgs({ ...options, listings, changed: () => this.evaluations.request() });
    const rechecks = new OrgRechecks({ orgs: this.orgs, listings, clock, logger });
    this.#check = new DailyCheck({ scorer, listings, clock, logger });
    const newest = new NewestEvidence(ledger);
    this.evaluations = new Evaluations({
      evaluator: this.evaluator,
      listings,
      newest,
      due: new DueVersions({ listings, newest, clock, intervalMs: options.intervalMs }),
      lease: createLedgerLease({ ledger, name: 'reputation', holder: options.holder, clock, logger }),
      clock,
      logger,
      beside: async (scope) => {
        await Promise.all([rechecks.run(scope), this.#check.run(scope)]);
      },
      count: options.counters.evaluated,
    });
    this.publisher = new Publisher({ ...options, listings, changed: this.evaluations.request });
    this.retractions = new Retractions({ ledger, clock, changed: this.evaluations.request });
    this.statuses = new StatusChanges({ ledger, listings, clock, changed: this.evaluations.request });
  }

  /** Reads what is published. Runs and lists are right from then on. @throws LedgerError */
  open(): Promise<void> {
    return this.listings.refresh();
  }

  /** Follows the ledger, and evaluates while this process holds the lease, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.evaluations.run(signal);
  }

  /** What the metrics read at a scrape. */
  metricSources(): ReputationSources {
    const { listings, evaluations } = this;
    const expiry = new CertificateExpiry({ ledger: this.#options.ledger, listings });
    return {
      publications: () => [...listings.all()].map(({ status, standing }) => ({ status, tier: standing.tier })),
      oldestEvaluation: listings.oldestEvaluation,
      nextCertificateExpiry: () => expiry.next(),
      backlog: evaluations.waiting,
      orgs: listings.allOrgs,
      isConsistent: () => this.#check.isConsistent,
    };
  }

  /** Waits for the first evaluation of a version that was just published, 5 s at most. */
  readonly evaluated = async (orbId: string): Promise<void> => {
    const { clock } = this.#options;
    const end = clock.monotonic() + FIRST_EVALUATION_MS;
    this.evaluations.request();
    const { signal } = new AbortController();
    while (this.listings.evaluatedAt(orbId) === undefined && clock.monotonic() < end)
      await clock.sleep(POLL_MS, signal);
  };
}
