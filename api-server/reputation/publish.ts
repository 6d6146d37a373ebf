import type { Ledger } from '../../adapters/ledger/port.ts';
import type { PublishOutcome, ReputationCounters } from '../../adapters/telemetry/reputation-metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText } from '../../core/log-entry/entry.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { ORB_ONTOLOGY } from '../../core/ontology/orb-ontology.ts';
import { checkManifestSteps } from '../../core/publication/check-manifest.ts';
import { ownershipOf, type OperatorProof } from '../../core/publication/owner.ts';
import { below, validationReport, type ReportFacts, type Stage } from '../../core/publication/validation-report.ts';
import { orgOf } from '../../core/reputation/line.ts';
import { inSlices } from '../http/in-slices.ts';
import type { Listings } from './listings.ts';
import type { CheckTests, Published, PublishRequest, RefusalCode, TestsVerdict } from './publish-request.ts';
import { addReport, publishNew, type Candidate, type GoodPublication, type Seen } from './write-publication.ts';

export interface PublisherParts {
  readonly ledger: Pick<Ledger, 'publish' | 'addTestReport' | 'hasTestReport' | 'recordAudit'>;
  readonly listings: Listings;
  readonly clock: Pick<Clock, 'now'>;
  readonly allowedOrigins: readonly string[];
  readonly operator: OperatorProof;
  readonly checkTests: CheckTests;
  readonly counters: Pick<ReputationCounters, 'published'>;
  /** Resolves when the next piece of a tenant's publication may run. */
  readonly longTurn: (tenant: string) => Promise<unknown>;
  /** Called after entries were written that make versions due for an evaluation. */
  readonly changed: () => void;
}

const outcomeOf = (result: Published): PublishOutcome => {
  if (result.kind === 'listed') return result.isNew ? 'listed' : 'known';
  return result.kind;
};

const hasErrors = (findings: readonly Finding[]): boolean => findings.some(({ severity }) => severity === 'error');

const time = (ms: number): string => new Date(ms).toISOString();

const ONTOLOGY = { id: ORB_ONTOLOGY.id, version: ORB_ONTOLOGY.version };

/** A refusal by who asks or which version it is. */
interface Refusal {
  readonly code: RefusalCode;
  readonly detail: string;
}

/** Runs the pipeline of trust.md §8, for a request over HTTP or an applied OrbPublication. */
export class Publisher {
  readonly #parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** Stops at the first stage that fails. Nothing is written before stage `listing` but an `audit` entry. @throws LedgerError */
  async publish(request: PublishRequest): Promise<Published> {
    const { published } = this.#parts.counters;
    try {
      const result = await this.#run(request);
      published(outcomeOf(result), result.kind === 'refused' ? result.stage : 'listing');
      return result;
    } catch (error) {
      published('failed', 'listing');
      throw error;
    }
  }

  async #run(request: PublishRequest): Promise<Published> {
    const { allowedOrigins, longTurn } = this.#parts;
    const { manifest, tenant } = request;
    const steps = checkManifestSteps(manifest, { namespace: tenant, allowedOrigins });
    const { orb, schema, ontology } = await inSlices(steps, () => longTurn(tenant));
    const facts: ReportFacts = {
      orbId: orb?.orbId ?? null,
      manifestDigest: orb?.digest ?? null,
      ontology: ONTOLOGY,
      passed: [],
      tests: null,
      findings: below('/manifest', [...schema, ...ontology]),
    };
    if (hasErrors(schema)) return refused('schema', 'validation-failed', facts);
    if (orb === undefined || hasErrors(ontology))
      return refused('ontology', 'validation-failed', { ...facts, passed: ['schema'] });
    const { listings } = this.#parts;
    const seen: Seen = { orb: listings.orb(orb.orbId), org: listings.org(orgOf(orb.orbId)) };
    return this.#checkOwner({ orb, request, seen }, { ...facts, passed: ['schema', 'ontology'] });
  }

  async #checkOwner(candidate: Candidate, facts: ReportFacts): Promise<Published> {
    const foreign = this.#namespaceFault(candidate);
    if (foreign !== undefined) return refused('namespace', foreign.code, facts, foreign.detail);
    const owned: ReportFacts = { ...facts, passed: [...facts.passed, 'namespace'] };
    const taken = versionFault(candidate);
    if (taken !== undefined) return refused('version', taken.code, owned, taken.detail);
    return this.#checkTests(candidate, { ...owned, passed: [...owned.passed, 'version'] });
  }

  #namespaceFault({ orb: { orbId }, request: { tenant }, seen }: Candidate): Refusal | undefined {
    const org = orgOf(orbId);
    const { operator } = this.#parts;
    const ownership = ownershipOf(org, tenant, { known: seen.org, operator });
    if (ownership.kind === 'foreign')
      return { code: 'namespace-not-owned', detail: `The organisation ${org} belongs to another tenant.` };
    return ownership.kind === 'unverified'
      ? { code: 'namespace-unverified', detail: `${org}: ${ownership.why}` }
      : undefined;
  }

  async #checkTests(candidate: Candidate, facts: ReportFacts): Promise<Published> {
    const { orb, request } = candidate;
    const verdict = await this.#parts.checkTests(orb, request);
    if (verdict.audit !== undefined && (await this.#leavesAudit(candidate, verdict)))
      await this.#audit(orb, verdict.audit);
    const tested: ReportFacts = {
      ...facts,
      tests: verdict.summary,
      findings: [...facts.findings, ...verdict.findings],
    };
    if (verdict.accepted === undefined || verdict.summary === null)
      return refused('tests', 'validation-failed', tested);
    const good: ReportFacts = { ...tested, passed: [...tested.passed, 'tests'] };
    if (request.dryRun) return { kind: 'checked', report: validationReport(good) };
    return this.#list(candidate, { accepted: verdict.accepted, summary: verdict.summary, facts: good });
  }

  /**
   * A report that was accepted before leaves no entry: GitOps applies it again and again. Nor does a refused one under an
   * organisation that nobody owns: it would count against its later owner, who may be another tenant.
   */
  async #leavesAudit({ orb, request, seen }: Candidate, { accepted }: TestsVerdict): Promise<boolean> {
    if (request.dryRun) return false;
    if (accepted === undefined) return seen.org !== undefined; // stage `namespace` passed: the tenant owns it
    return !(await this.#parts.ledger.hasTestReport(orb.orbId, accepted.reportSha256));
  }

  async #audit(
    { orbId, digest }: CompiledOrb,
    { reportSha256, checked, invalid }: NonNullable<TestsVerdict['audit']>,
  ): Promise<void> {
    const { ledger, clock, changed } = this.#parts;
    const at = time(clock.now());
    const entry = { kind: 'audit', orb_id: orbId, manifest_digest: digest, checked, invalid, at } as const;
    const result = await ledger.recordAudit({ orbId, reportSha256, entry: entryText(entry) });
    if (result.kind === 'done') changed();
  }

  async #list(candidate: Candidate, good: GoodPublication): Promise<Published> {
    const { orb, request, seen } = candidate;
    const { listings, changed } = this.#parts;
    const { orbId, digest } = orb;
    const report = validationReport({ ...good.facts, passed: [...good.facts.passed, 'listing'] });
    const written = await (seen.orb === undefined
      ? publishNew(this.#parts, candidate, good)
      : addReport(this.#parts, candidate, seen.orb, good));
    await listings.refresh();
    if (written === undefined) return this.#again(request, orbId, seen);
    if (written.isNews) changed();
    return { kind: 'listed', isNew: seen.orb === undefined, orbId, digest, logIndex: written.logIndex, report };
  }

  /**
   * What holds now is decided again: another request published or yanked the version, or its organisation changed, after
   * this one had looked.
   * @throws Error the ledger and the memory of it do not agree
   */
  #again(request: PublishRequest, orbId: string, seen: Seen): Promise<Published> {
    const { listings } = this.#parts;
    if (listings.orb(orbId) === seen.orb && listings.org(orgOf(orbId)) === seen.org)
      throw new Error('the ledger refuses a publication, and the memory of it does not know why');
    return this.#run(request);
  }
}

function versionFault({ orb: { orbId, digest }, seen: { orb: known } }: Candidate): Refusal | undefined {
  if (orbId.includes('+'))
    return { code: 'version-build-metadata', detail: `Leave out ${orbId.slice(orbId.indexOf('+'))}.` };
  if (known?.status === 'yanked') return { code: 'version-tombstoned', detail: `${orbId} was yanked.` };
  if (known !== undefined && known.manifestDigest !== digest)
    return { code: 'version-immutable', detail: `${orbId} was published with the digest ${known.manifestDigest}.` };
  return undefined;
}

/** @param detail of a refusal that is about the id alone */
function refused(stage: Stage, code: RefusalCode, facts: ReportFacts, detail?: string): Published {
  const ofId: readonly Finding[] =
    detail === undefined ? [] : [{ code, pointer: '/manifest/orb_id', detail, severity: 'error' }];
  const findings = [...facts.findings, ...ofId];
  return {
    kind: 'refused',
    code,
    stage,
    report: validationReport({ ...facts, findings, failed: stage }),
    findings,
    ...(detail === undefined ? {} : { detail }),
  };
}
