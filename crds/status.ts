// generated from schemas/status by hack/generate.ts: do not edit

/**
 * The status of each kind, written by the platform only (security.md §6.1).
 */
export interface StatusByKind {
  readonly Orb?: OrbStatus;
  readonly Orbiset?: OrbisetStatus;
  readonly OrbPolicy?: OrbPolicyStatus;
  readonly OrbPublication?: OrbPublicationStatus;
  readonly OrbSignalSource?: OrbSignalSourceStatus;
}
/**
 * What the platform found out about an Orb.
 */
export interface OrbStatus {
  /**
   * Generation that the rest of the status is about; lower than metadata.generation: in progress.
   */
  readonly observedGeneration?: number;
  /**
   * First 256 characters of the annotation orbs.dev/reconcile-at that was handled last.
   */
  readonly lastHandledReconcileAt?: string;
  /**
   * Digest of the manifest that runs: of the last valid version; absent when nothing of the Orb runs. sha256 of the canonical manifest: sha256: and 64 hexadecimal digits.
   */
  readonly validDigest?: string;
  readonly lastValid?: ValidVersion;
  readonly failover?: FailoverStatus;
  /**
   * What is true of it, one condition a type.
   *
   * @maxItems 32
   */
  readonly conditions?: readonly StatusCondition[];
}
/**
 * The last valid version, whether it runs or not: what a broken edit leaves. An Orb holds the id of this one.
 */
export interface ValidVersion {
  /**
   * Digest of its manifest: sha256: and 64 hexadecimal digits.
   */
  readonly digest: string;
  /**
   * Its orb_id.
   */
  readonly orbId: string;
  /**
   * Its providers that have an execution, first the one that is used without a pin.
   *
   * @maxItems 17
   */
  readonly providers: readonly string[];
}
/**
 * Which provider runs start with.
 */
export interface FailoverStatus {
  /**
   * The provider that runs start with.
   */
  readonly activeProvider?: string;
  /**
   * Since when it is the active one.
   */
  readonly since?: string;
  /**
   * Why it is: primary, manual, hard_failure, latency or failback.
   */
  readonly reason?: string;
  /**
   * Number of the last swap; each has the next one.
   */
  readonly swapSeq?: number;
  /**
   * Of the operator's lease, at the last swap.
   */
  readonly epoch?: number;
  /**
   * Providers that were left, and until when they are not gone back to.
   *
   * @maxItems 17
   */
  readonly holds?: readonly FailoverHold[];
  /**
   * Until when the active provider is kept unless it fails.
   */
  readonly dwellUntil?: string;
  readonly ramp?: FailoverRamp;
  readonly frozen?: FailoverFreeze;
  readonly pin?: FailoverPinStatus;
  /**
   * When probes of every standby provider were asked for.
   */
  readonly probeRequestedAt?: string;
  /**
   * The last swaps, newest last.
   *
   * @maxItems 20
   */
  readonly history?: readonly FailoverSwap[];
  /**
   * Ramps that were given up within the last hour.
   *
   * @maxItems 60
   */
  readonly aborts?: readonly FailoverAbort[];
}
/**
 * A provider that was left.
 */
export interface FailoverHold {
  /**
   * The provider.
   */
  readonly provider: string;
  /**
   * Not gone back to before.
   */
  readonly until: string;
  /**
   * How often it was left within an hour.
   */
  readonly level: number;
}
/**
 * A share of the traffic that goes to another provider.
 */
export interface FailoverRamp {
  /**
   * Where it goes.
   */
  readonly provider: string;
  /**
   * Percent of the runs.
   */
  readonly percent: number;
  /**
   * Since when it is this share.
   */
  readonly stepStartedAt: string;
  /**
   * To find out how fast a provider is that can't be probed; else on the way back to the primary.
   */
  readonly trial: boolean;
}
/**
 * No automatic swap but for a broken provider.
 */
export interface FailoverFreeze {
  /**
   * End of the freeze.
   */
  readonly until: string;
  /**
   * Why, in one word.
   */
  readonly reason: string;
}
/**
 * How pins were handled.
 */
export interface FailoverPinStatus {
  /**
   * The pin with mode once that was followed.
   */
  readonly handledId?: string;
  /**
   * The soft pin that was left because its provider failed.
   */
  readonly overriddenId?: string;
  /**
   * The pin whose end was reported.
   */
  readonly expiredId?: string;
  /**
   * The pin that is there.
   */
  readonly firstSeenId?: string;
  /**
   * Since when; a pin ends 168 hours later at the latest.
   */
  readonly firstSeenAt?: string;
}
/**
 * One change of the active provider.
 */
export interface FailoverSwap {
  /**
   * Its number.
   */
  readonly seq: number;
  /**
   * When.
   */
  readonly at: string;
  /**
   * The provider before.
   */
  readonly from: string;
  /**
   * The provider since.
   */
  readonly to: string;
  /**
   * manual, hard_failure, latency or failback.
   */
  readonly reason: string;
  /**
   * The rule that decided.
   */
  readonly rule: string;
  /**
   * Of the operator's lease.
   */
  readonly epoch: number;
  /**
   * Its signed receipt.
   */
  readonly receiptId: string;
  /**
   * Who asked for it: key:ID, sa:NAMESPACE/NAME, or the field manager.
   */
  readonly actor?: string;
  /**
   * What it was decided on, as JSON text; the newest five have it.
   */
  readonly evidence?: string;
}
/**
 * A ramp that was given up.
 */
export interface FailoverAbort {
  /**
   * Where it went.
   */
  readonly provider: string;
  /**
   * When.
   */
  readonly at: string;
}
/**
 * One condition, as metav1.Condition.
 */
export interface StatusCondition {
  /**
   * What it is about, in CamelCase.
   */
  readonly type: string;
  /**
   * True, False or Unknown.
   */
  readonly status: 'True' | 'False' | 'Unknown';
  /**
   * Why, in one CamelCase word of the documented list.
   */
  readonly reason: string;
  /**
   * The same for people: what to do next. No secrets, bodies or times.
   */
  readonly message: string;
  /**
   * Generation that the condition is about.
   */
  readonly observedGeneration: number;
  /**
   * When status changed last.
   */
  readonly lastTransitionTime: string;
}
/**
 * What the platform found out about an Orbiset.
 */
export interface OrbisetStatus {
  /**
   * Generation that the rest of the status is about; lower than metadata.generation: in progress.
   */
  readonly observedGeneration?: number;
  /**
   * First 256 characters of the annotation orbs.dev/reconcile-at that was handled last.
   */
  readonly lastHandledReconcileAt?: string;
  readonly vault?: VaultStatus;
  /**
   * What is true of it, one condition a type.
   *
   * @maxItems 32
   */
  readonly conditions?: readonly StatusCondition[];
}
/**
 * Entries of the vault by name; never a value.
 */
export interface VaultStatus {
  /**
   * Names of the entries that are there, sorted; the first 1024.
   *
   * @maxItems 1024
   */
  readonly entries?: readonly string[];
  /**
   * What is bound and not there, sorted; the first 1024.
   *
   * @maxItems 1024
   */
  readonly missing?: readonly MissingEntry[];
}
/**
 * Something that a binding names and that is not there.
 */
export interface MissingEntry {
  /**
   * Name of the Secret.
   */
  readonly secret: string;
  /**
   * Name of the vault entry; absent when all of the Secret is missing.
   */
  readonly entry?: string;
  /**
   * SecretNotFound, KeyMissing (no such key, or its value is no UTF-8), DuplicateEntry (two Secrets give it), or Forbidden (the API may not read it yet).
   */
  readonly reason: 'SecretNotFound' | 'KeyMissing' | 'DuplicateEntry' | 'Forbidden';
}
/**
 * What the platform found out about a policy. Decisions never read it.
 */
export interface OrbPolicyStatus {
  /**
   * Generation that the rest of the status is about; lower than metadata.generation: in progress.
   */
  readonly observedGeneration?: number;
  /**
   * First 256 characters of the annotation orbs.dev/reconcile-at that was handled last.
   */
  readonly lastHandledReconcileAt?: string;
  /**
   * Digest of this version: sha256: and 64 hexadecimal digits. Mode, priority, tests and promotion are not part of it.
   */
  readonly policyDigest?: string;
  /**
   * Digest of the version in force: the last one that compiled and passed its tests.
   */
  readonly activeDigest?: string;
  /**
   * What holds: Enforce only once the replay gate is passed.
   */
  readonly effectiveMode?: 'Enforce' | 'Audit' | 'Disabled';
  /**
   * Facts that its rules read.
   *
   * @maxItems 128
   *
   * Items: Name of a fact.
   */
  readonly readsFacts?: readonly string[];
  /**
   * Upper bound of the cost of a decision in each phase, units of 0.1 microseconds.
   */
  readonly costUnits?: {
    /**
     * Units in PreFlight.
     */
    readonly PreFlight?: number;
    /**
     * Units in Request.
     */
    readonly Request?: number;
    /**
     * Units in Response.
     */
    readonly Response?: number;
  };
  /**
   * Results of its tests.
   */
  readonly tests?: {
    /**
     * Tests that passed.
     */
    readonly passed?: number;
    /**
     * Tests that failed.
     */
    readonly failed?: number;
  };
  /**
   * The last finished replay.
   */
  readonly lastReplay?: {
    /**
     * Id of the replay.
     */
    readonly id?: string;
    /**
     * Digest of the version that was replayed.
     */
    readonly policyDigest?: string;
    /**
     * Receipts that were decided.
     */
    readonly evaluated?: number;
    /**
     * Runs that were allowed and would be denied.
     */
    readonly newDenies?: number;
    /**
     * Receipts that could not be decided.
     */
    readonly indeterminate?: number;
    /**
     * When it finished.
     */
    readonly at?: string;
  };
  /**
   * What is true of it, one condition a type.
   *
   * @maxItems 32
   */
  readonly conditions?: readonly StatusCondition[];
}
/**
 * What the platform found out about a publication.
 */
export interface OrbPublicationStatus {
  /**
   * Generation that the rest of the status is about; lower than metadata.generation: in progress.
   */
  readonly observedGeneration?: number;
  /**
   * First 256 characters of the annotation orbs.dev/reconcile-at that was handled last.
   */
  readonly lastHandledReconcileAt?: string;
  /**
   * Digest of spec.manifest as it is stored. sha256 of the canonical manifest: sha256: and 64 hexadecimal digits.
   */
  readonly manifestDigest?: string;
  /**
   * Certification tier.
   */
  readonly certificationTier?: 'uncertified' | 'bronze' | 'silver' | 'gold' | 'platinum';
  /**
   * Reputation, 0 to 100.
   */
  readonly reputationScore?: number;
  /**
   * Whether the tier is about to change.
   */
  readonly tierStatus?: 'stable' | 'at_risk' | 'suspended';
  /**
   * How much evidence the score has.
   */
  readonly confidence?: 'provisional' | 'low' | 'medium' | 'high';
  /**
   * State of the published version in the marketplace.
   */
  readonly listing?: 'active' | 'deprecated' | 'yanked' | 'suspended';
  /**
   * Index of its publish entry in the log.
   */
  readonly logIndex?: number;
  readonly certificate?: IssuedCertificate;
  readonly validationReport?: ValidationReport;
  /**
   * What is true of it, one condition a type.
   *
   * @maxItems 32
   */
  readonly conditions?: readonly StatusCondition[];
}
/**
 * Its newest certificate that is in force.
 */
export interface IssuedCertificate {
  /**
   * SHA-256 of the certificate, 64 hexadecimal digits: as in its entry of the log.
   */
  readonly sha256: string;
  /**
   * When it ends.
   */
  readonly validUntil: string;
}
/**
 * Report of the publishing pipeline, member for member as POST /marketplace/orbs/publish answers it.
 */
export interface ValidationReport {
  /**
   * Whether every stage passed.
   */
  readonly valid?: boolean;
  /**
   * The Orb.
   */
  readonly orb_id?: string;
  /**
   * sha256 of the canonical manifest: sha256: and 64 hexadecimal digits.
   */
  readonly manifest_digest?: string;
  readonly ontology?: OntologyVersion;
  /**
   * Stages in order.
   *
   * @maxItems 16
   */
  readonly stages?: readonly ReportStage[];
  readonly tests?: ReportTests;
  /**
   * The first 50 findings.
   *
   * @maxItems 50
   */
  readonly findings?: readonly ReportFinding[];
}
/**
 * The ontology that it was checked against.
 */
export interface OntologyVersion {
  /**
   * Id.
   */
  readonly id: string;
  /**
   * Version.
   */
  readonly version: string;
}
/**
 * One stage.
 */
export interface ReportStage {
  /**
   * schema, ontology, namespace, version, tests, verification or listing.
   */
  readonly id: string;
  /**
   * How it ended.
   */
  readonly status: 'passed' | 'failed' | 'pending' | 'not_run';
}
/**
 * What the tests showed.
 */
export interface ReportTests {
  /**
   * Required cases.
   */
  readonly required?: number;
  /**
   * Required cases that passed.
   */
  readonly passed?: number;
  /**
   * Who ran them, weakest first.
   */
  readonly provenance?: 'self_reported' | 'receipted' | 'platform' | 'independent';
  /**
   * Digest of the suites.
   */
  readonly suite_digest?: string;
}
/**
 * One finding.
 */
export interface ReportFinding {
  /**
   * Only error keeps a version from being published.
   */
  readonly severity: 'error' | 'warning' | 'info';
  /**
   * Stable code.
   */
  readonly code: string;
  /**
   * JSON Pointer into the body of a request to publish, which has the members of spec.
   */
  readonly pointer: string;
  /**
   * What to do.
   */
  readonly message: string;
  /**
   * Nearest known name.
   */
  readonly suggestion?: string;
  /**
   * Where the rule is explained.
   */
  readonly rule_url?: string;
}
/**
 * Where a source is reached, and what came. Receiving never reads it.
 */
export interface OrbSignalSourceStatus {
  /**
   * Generation that the rest of the status is about; lower than metadata.generation: in progress.
   */
  readonly observedGeneration?: number;
  /**
   * First 256 characters of the annotation orbs.dev/reconcile-at that was handled last.
   */
  readonly lastHandledReconcileAt?: string;
  /**
   * Opaque id of the URL. No credential.
   */
  readonly sourceId?: string;
  /**
   * Path to send to, below the address of the ingestion service; with scheme urlToken, "/" and the token follow.
   */
  readonly urlPath?: string;
  /**
   * What a delivery proves: signed: its body; shared_secret: that its sender knows a secret; low: that it knows an address.
   */
  readonly trust?: 'signed' | 'shared_secret' | 'low';
  /**
   * Expressions that give the fingerprint, the first with a value counts.
   */
  readonly fingerprintRule?: string;
  /**
   * When the last delivery was accepted, at most 5 minutes late.
   */
  readonly lastEventAt?: string;
  /**
   * Deliveries so far, at most 5 minutes late.
   */
  readonly counts?: {
    /**
     * Accepted, duplicates aside.
     */
    readonly accepted?: number;
    /**
     * Sent again.
     */
    readonly duplicates?: number;
    /**
     * Refused, for example for a wrong signature.
     */
    readonly rejected?: number;
    /**
     * Accepted, and not usable.
     */
    readonly deadLetters?: number;
  };
  /**
   * What is true of it, one condition a type.
   *
   * @maxItems 32
   */
  readonly conditions?: readonly StatusCondition[];
}
