import { join } from 'node:path';
import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { createDialer } from '../../adapters/egress/dialer.ts';
import type { Dialer, AllowRule } from '../../adapters/egress/port.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import { ed25519Verify, randomSource, sha256 } from '../../adapters/keys/primitives.ts';
import type { Scorer } from '../../adapters/reputation-worker/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import type { HeadStore } from '../../adapters/log-head/port.ts';
import type { UseLimits } from '../../adapters/process/limit-flags.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import { createMetrics, type Metrics, type MetricSources } from '../../adapters/telemetry/metrics.ts';
import { SharedCount } from '../../adapters/threads/shared-count.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { allLogKeys } from '../../core/verify/inclusion.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { admissionLimits, createAdmission, type Admission } from '../http/admission.ts';
import { LoopTurns } from '../http/loop-turns.ts';
import { watchLoopDelay } from '../http/loop-delay.ts';
import type { Doubt } from '../log-head/judge-head.ts';
import { LogHead } from '../log-head/log-head.ts';
import type { Runtime, RuntimeSettings } from '../runtime/runtime.ts';
import type { OperatorProof } from '../../core/publication/owner.ts';
import type { Replays } from '../replays/replays.ts';
import type { Reputation } from '../reputation/reputation.ts';
import { DraftRunner } from '../../adapters/draft-worker/draft-runner.ts';
import { closeParts } from './close-parts.ts';
import { createLedgerChecks } from './create-ledger-checks.ts';
import { createReplays } from './create-replays.ts';
import { createRuntime } from './create-runtime.ts';
import { createReputation } from './create-reputation.ts';
import type { PoliciesInForce } from '../policy/policies.ts';
import { createPolicies } from './create-policies.ts';
import { createIngestion, type Ingestion } from './create-ingestion.ts';
import { createReceiving, type Receiving } from './create-receiving.ts';
import { PlatformStatus, type PlatformStatusParts } from '../status/platform-status.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';
import { upgradeLine } from './upgrade-line.ts';
import { versionOf } from './version.ts';

/** All parts of one API process that live as long as the process, with or without a cluster. */
export interface Platform {
  readonly version: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly keys: PlatformKeys;
  /** Its log may not grow until `followHead` has proven it. */
  readonly ledger: Ledger;
  readonly logHead: Pick<LogHead, 'ready'>;
  /**
   * Proves the ledger by the head that is kept outside it, and keeps that head current. It resolves after the first
   * check. Call it once.
   * @param forked called when the history is in doubt
   */
  readonly followHead: (store: HeadStore, forked: (doubt: Doubt) => void) => Promise<void>;
  readonly dialer: Dialer;
  readonly catalog: MemoryCatalog;
  readonly metrics: Metrics;
  readonly admission: Admission;
  /** Runs that were admitted so far: threads with other work give way to them. */
  readonly runs: SharedCount;
  readonly runtime: Runtime;
  /** The policies in force; until their objects were read, every run is denied. */
  readonly policies: PoliciesInForce;
  readonly ingestion: Ingestion;
  readonly receiving: Receiving;
  readonly replays: Replays;
  /** Path of the ledger's file, for threads that read it. */
  readonly ledgerFile: string;
  readonly drafts: DraftRunner;
  /** What works of the platform: read at the opening, then in memory. */
  readonly status: PlatformStatus;
  /** Seals certificates and status lists with the certificate key. */
  readonly certificates: SealTools;
  /** Publishing, scores and certificates. */
  readonly reputation: Reputation;
  /** Computes over receipts in another thread. */
  readonly scores: Pick<Scorer, 'count'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly exceptions: readonly AllowRule[];
  /** Closes the parts of `openPlatform`, and writes the last head. The HTTP servers must be closed before. */
  readonly close: () => Promise<void>;
}

export interface PlatformOptions {
  /** Folder of the embedded ledger; it must exist. */
  readonly ledgerFolder: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly keys: PlatformKeys;
  readonly exceptions: readonly AllowRule[];
  /** PEM texts of CAs that the allow rules trust. */
  readonly ca: readonly string[];
  readonly apiKeys: MetricSources['apiKeys'];
  readonly reputation: {
    /** Name of this process in the lease of evaluations. */
    readonly holder: string;
    readonly operator: OperatorProof;
    /** Time between evaluations of an Orb with new runs, ms. */
    readonly intervalMs: number;
  };
  /** Who measures: absent: a prober tells its rounds. */
  readonly status?: Pick<PlatformStatusParts, 'ownIntervalMs'>;
  /** How much callers may use. */
  readonly use: UseLimits;
  /** Settings that differ between standalone and a cluster. */
  readonly runtime: Pick<
    RuntimeSettings,
    'platformNamespace' | 'standalone' | 'owner' | 'secretHint' | 'policyRetention' | 'policyReplayThreads'
  >;
}

/** @throws StartError the keys don't match each other */
async function openDocument({ keysJws, root }: PlatformKeys): Promise<KeysDocument> {
  const opened = await openKeys(keysJws, root, { sha256, ed25519Verify });
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  return opened.document;
}

const ledgerFile = ({ ledgerFolder }: Pick<PlatformOptions, 'ledgerFolder'>): string =>
  join(ledgerFolder, 'ledger.sqlite');

function openLedger(
  { ledgerFolder, clock, keys, log }: PlatformOptions,
  random: (bytes: number) => Uint8Array,
  head: LogHead,
): Promise<Ledger> {
  const { privateKey, publicKey } = keys.log;
  return openSqliteLedger({
    file: ledgerFile({ ledgerFolder }),
    identity: { issuer: keys.issuer, logOrigin: keys.logOrigin },
    logKey: { privateKey, publicKey },
    dataKey: keys.dataKey,
    clock,
    random,
    gate: head.gate,
    onCheckpoint: head.signed,
    onFault: head.damaged,
    onUpgrading: (progress) => log.logger.info(...upgradeLine(progress)),
  });
}

/** The ledger, and what proves that its log only grew. */
async function openLog(
  options: PlatformOptions,
  random: (bytes: number) => Uint8Array,
  document: KeysDocument,
): Promise<{ readonly head: LogHead; readonly ledger: Ledger }> {
  const { clock, log } = options;
  const head = new LogHead({ clock, logger: log.logger, keys: allLogKeys(document) });
  return { head, ledger: await openLedger(options, random, head) };
}

/** The first entries of a log are the keys that sign it (trust.md §3.1). */
function beginLog({ keys, log }: PlatformOptions, ledger: Ledger, size: number): void {
  if (size > 0) return;
  ledger
    .appendEntries(keys.keyEvents)
    .catch((error: unknown) => log.logger.error('the log could not be begun', { error }));
}

interface Measured {
  readonly ledger: Ledger;
  readonly head: LogHead;
  readonly admission: Admission;
}

function openAdmission(
  { use }: PlatformOptions,
  ledger: Ledger,
  loopDelayMs: () => number,
): { readonly admission: Admission; readonly runs: SharedCount } {
  const runs = new SharedCount();
  const pressure = { ledger: () => ledger.load(), loopDelayMs };
  const limits = { ...admissionLimits, tenantPct: use.tenantPct };
  return { admission: createAdmission(pressure, limits, () => runs.add()), runs };
}

/** Tenants with metrics of their own: a bound on the number of series. */
const SHOWN_TENANTS = 100;

const metricSources = (
  { apiKeys, exceptions, log }: PlatformOptions,
  { ledger, head, admission }: Measured,
): MetricSources => ({
  runsInFlight: () => admission.inFlight(),
  ledgerLoad: () => ledger.load(),
  ledgerCommits: () => ledger.commits(),
  logSize: () => ledger.logSize(),
  tenants: () => ledger.largestTenants(SHOWN_TENANTS),
  apiKeys,
  egressExceptions: () => exceptions.length,
  logConsistent: () => head.isConsistent(),
  logHeadSize: () => head.savedSize(),
  leftOutLines: log.leftOutLines,
});

async function openStatus(
  { clock, log, runtime, status: measured }: PlatformOptions,
  { ledger, random, metrics: { registry } }: Pick<Platform, 'ledger' | 'random' | 'metrics'>,
): Promise<PlatformStatus> {
  const { platformNamespace } = runtime;
  const status = new PlatformStatus({ ledger, clock, logger: log.logger, random, platformNamespace, ...measured });
  await status.open();
  status.observe(registry);
  return status;
}

/** Signal sources, and what takes their deliveries. */
async function openIngestion(
  options: PlatformOptions,
  parts: Pick<Platform, 'ledger' | 'metrics'> & { readonly loopDelayMs: () => number },
): Promise<Pick<Platform, 'ingestion' | 'receiving'>> {
  const { keys, log } = options;
  const ingestion = await createIngestion({ ledger: parts.ledger, keys, log, settings: options.runtime });
  const receiving = await createReceiving({ ...options, ...parts, traffic: ingestion.traffic });
  return { ingestion, receiving };
}

/**
 * Opens the parts in this order: ledger (its lock comes first), dialer, metrics, runtime.
 * @param root folder of the program's package
 */
export async function openPlatform(root: string, options: PlatformOptions): Promise<Platform> {
  const { clock, log, keys, exceptions, ca } = options;
  const [version, random, turns] = [
    versionOf(root),
    randomSource(),
    new LoopTurns({ now: clock.monotonic, tenantPct: options.use.tenantPct }),
  ];
  const document = await openDocument(keys);
  const { head, ledger } = await openLog(options, random, document);
  const dialer = createDialer({ exceptions, ca, clock });
  const delay = watchLoopDelay();
  const { admission, runs } = openAdmission(options, ledger, delay.meanMs);
  const metrics = createMetrics({ clock, version, sources: metricSources(options, { ledger, head, admission }) });
  const catalog = new MemoryCatalog();
  const stored = { ledger, metrics, document, ledgerFile: ledgerFile(options) };
  const { reputation, certificates, cases, scores } = createReputation(options, { ...stored, random, turns });
  await reputation.open();
  const policy = await createPolicies({ ledger, reputation, metrics, clock, log, settings: options.runtime });
  const runtime = createRuntime(options, { ...stored, dialer, catalog, version, random, reputation, turns, ...policy });
  const drafts = new DraftRunner({ logger: log.logger });
  const replays = createReplays({ ...stored, runtime, runs, policies: policy.policies, makeRoom: drafts.rest });
  const platform = {
    version,
    clock,
    log,
    keys,
    random,
    exceptions,
    ledger,
    ledgerFile: stored.ledgerFile,
    logHead: head,
    followHead: (store: HeadStore, forked: (doubt: Doubt) => void) =>
      head.follow({ ledger, store, forked, opened: (size) => beginLog(options, ledger, size) }),
    dialer,
    catalog,
    metrics,
    admission,
    runs,
    runtime,
    policies: policy.policies,
    ...(await openIngestion(options, { ledger, metrics, loopDelayMs: delay.meanMs })),
    replays,
    drafts,
    status: await openStatus(options, { ledger, random, metrics }),
    certificates,
    reputation,
    scores,
  };
  const threads = [scores, drafts, replays, await createLedgerChecks({ ...stored, clock, log, head })];
  const timers = [delay, platform.receiving, cases];
  return { ...platform, close: () => closeParts(platform, { timers, threads, head }) };
}
