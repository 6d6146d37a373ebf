import { createLedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { OperatorProof } from '../../core/publication/owner.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { ReputationCounters, ReputationSources } from '../../adapters/telemetry/reputation-metrics.ts';
import { CertificateExpiry } from './certificate-expiry.ts';
import { CertificateIssuer } from './certificates.ts';
import { Evaluations } from './evaluations.ts';
import { Evaluator } from './evaluator.ts';
import { Listings } from './listings.ts';
import { OrgRechecks } from './org-rechecks.ts';
import { Orgs, type ResolveTxt } from './orgs.ts';
import { createReputationReader } from './create-reader.ts';
import type { ReputationReader } from './reputation-reader.ts';
import { Retractions } from './retractions.ts';
import { Publisher } from './publish.ts';
import type { CheckTests } from './publish-request.ts';
import { StatusChanges } from './status-changes.ts';

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
  readonly counters: ReputationCounters;
  /** Time between evaluations of an Orb with new runs, ms. */
  readonly intervalMs: number;
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
  /** Whose keys with the scope `admin` act for the platform. */
  readonly platformNamespace: string;
  readonly #options: ReputationOptions;

  constructor(options: ReputationOptions) {
    const { ledger, clock, logger, issuer, logOrigin } = options;
    this.#options = options;
    this.platformNamespace = options.platformNamespace;
    this.listings = new Listings(ledger, clock);
    const { listings } = this;
    this.reader = createReputationReader({ ledger, listings, clock, issuer, tools: options.certificates });
    const certificates = new CertificateIssuer({ ledger, tools: options.certificates, issuer, logOrigin });
    this.evaluator = new Evaluator({ ledger, listings, certificates, clock, logOrigin });
    this.orgs = new Orgs({ ...options, listings, changed: this.#evaluateOrg });
    const rechecks = new OrgRechecks({ orgs: this.orgs, listings, clock, logger });
    this.evaluations = new Evaluations({
      evaluator: this.evaluator,
      listings,
      lease: createLedgerLease({ ledger, name: 'reputation', holder: options.holder, clock, logger }),
      clock,
      logger,
      intervalMs: options.intervalMs,
      beside: (scope) => rechecks.run(scope),
      count: options.counters.evaluated,
    });
    this.publisher = new Publisher({ ...options, listings, changed: this.evaluations.request });
    this.retractions = new Retractions({ ledger, listings, clock, changed: this.evaluations.request });
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
      backlog: () => evaluations.waiting().length,
      orgs: listings.allOrgs,
    };
  }

  /** Waits for the first evaluation of a version that was just published, 5 s at most. */
  readonly evaluated = async (orbId: string): Promise<void> => {
    const { clock } = this.#options;
    const end = clock.monotonic() + FIRST_EVALUATION_MS;
    this.evaluations.request(orbId);
    const { signal } = new AbortController();
    while (this.listings.evaluatedAt(orbId) === undefined && clock.monotonic() < end)
      await clock.sleep(POLL_MS, signal);
  };

  readonly #evaluateOrg = (org: string): void => {
    for (const { orbId, publisher } of this.listings.all()) if (publisher.org === org) this.evaluations.request(orbId);
  };
}
