import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { createDialer } from '../../adapters/egress/dialer.ts';
import { cleartextOrigins } from '../../adapters/egress/allow-rules.ts';
import type { Dialer, AllowRule } from '../../adapters/egress/port.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import {
  ed25519Verify,
  hmacSha256,
  nodeEncoding,
  randomSource,
  sha256,
  sha256Hex,
} from '../../adapters/keys/primitives.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import type { HeadStore } from '../../adapters/log-head/port.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import { createMetrics, type Metrics, type MetricSources } from '../../adapters/telemetry/metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { callerTag } from '../../core/receipt/caller-tag.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { allLogKeys } from '../../core/verify/inclusion.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { createAdmission, type Admission } from '../http/admission.ts';
import { watchLoopDelay } from '../http/loop-delay.ts';
import type { Doubt } from '../log-head/judge-head.ts';
import { LogHead } from '../log-head/log-head.ts';
import { CallerTags } from '../runtime/caller-tags.ts';
import { OrbFailovers } from '../runtime/failover/orb-failovers.ts';
import { WarningLimiter } from '../runtime/warning-limiter.ts';
import { KillSwitches } from '../runtime/kill-switches.ts';
import { RunRates } from '../runtime/run-rates.ts';
import { followSuspensions } from '../runtime/suspended-versions.ts';
import { RunsInFlight } from '../runtime/runs-in-flight.ts';
import type { Runtime, RuntimeSettings } from '../runtime/runtime.ts';
import type { OperatorProof } from '../../core/publication/owner.ts';
import type { Replays } from '../replays/replays.ts';
import type { Reputation } from '../reputation/reputation.ts';
import { createReplays } from './create-replays.ts';
import { createReputation } from './create-reputation.ts';
import { SelfCheck, startCheckThread } from '../self-check/self-check.ts';
import type { PoliciesInForce } from '../policy/policies.ts';
import { createPolicies } from './create-policies.ts';
import { Slots } from '../runtime/slots.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';

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
  readonly runtime: Runtime;
  /** The policies in force; until their objects were read, every run is denied. */
  readonly policies: PoliciesInForce;
  readonly replays: Replays;
  /** Seals certificates and status lists with the certificate key. */
  readonly certificates: SealTools;
  /** Publishing, scores and certificates. */
  readonly reputation: Reputation;
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
  /** Settings that differ between standalone and a cluster. */
  readonly runtime: Pick<
    RuntimeSettings,
    'platformNamespace' | 'standalone' | 'owner' | 'secretHint' | 'policyRetention' | 'policyReplayThreads'
  >;
}

// security.md S6
const SLOTS = { perKey: 256, waiting: 1000 };
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_TIMEOUT_MS = 120_000;

/** Version of this program, from its package. */
function versionOf(root: string): string {
  const value: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}

/** @throws StartError the keys don't match each other */
async function openDocument({ keysJws, root }: PlatformKeys): Promise<KeysDocument> {
  const opened = await openKeys(keysJws, root, { sha256, ed25519Verify });
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  return opened.document;
}

const createLogHead = ({ clock, log }: PlatformOptions, document: KeysDocument): LogHead =>
  new LogHead({ clock, logger: log.logger, keys: allLogKeys(document) });

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
    onFolding: (entries, of) =>
      log.logger.info('an older ledger is brought up to date: its log is read again', { entries, of }),
  });
}

/** The first entries of a log are the keys that sign it (trust.md §3.1). */
function beginLog({ keys, log }: PlatformOptions, ledger: Ledger, size: number): void {
  if (size > 0) return;
  ledger
    .appendEntries(keys.keyEvents)
    .catch((error: unknown) => log.logger.error('the log could not be begun', { error }));
}

type Parts = Pick<
  Platform,
  'ledger' | 'dialer' | 'catalog' | 'metrics' | 'version' | 'random' | 'reputation' | 'policies'
> &
  Pick<Runtime, 'policyState'>;

function createRuntime({ clock, log, keys, exceptions, runtime }: PlatformOptions, parts: Parts): Runtime {
  const { version, reputation, policies, policyState, ...shared } = parts;
  const { catalog, metrics } = parts;
  const inFlight = new RunsInFlight();
  const switches = new KillSwitches(inFlight);
  followSuspensions(reputation.listings, switches, log.logger);
  return {
    ...shared,
    clock,
    sha256,
    sealing: { signer: keys.receipt, sha256Hex, encoding: nodeEncoding },
    issuer: keys.issuer,
    logger: log.logger,
    settings: {
      ...runtime,
      cleartextOrigins: cleartextOrigins(exceptions),
      userAgent: `orb-platform/${version}`,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
    tags: new CallerTags((tenant, finishedAt) => callerTag(keys.tagKey, tenant, finishedAt, hmacSha256)),
    selfCheck: new SelfCheck(keys.receiptPublic, {
      start: startCheckThread,
      onCrash: (error) => log.logger.error('the thread that checks receipts ended; another one is started', { error }),
    }),
    slots: new Slots(SLOTS),
    inFlight,
    rates: new RunRates(),
    published: reputation.listings,
    policies,
    policyState,
    switches,
    failover: new OrbFailovers({
      clock,
      random: Math.random,
      metrics,
      isThere: (namespace, orbId) => catalog.orb(namespace, orbId) !== undefined,
    }),
    echoWarnings: new WarningLimiter(clock.monotonic),
  };
}

interface Measured {
  readonly ledger: Ledger;
  readonly head: LogHead;
  readonly admission: Admission;
}

const metricSources = (
  { apiKeys, exceptions }: PlatformOptions,
  { ledger, head, admission }: Measured,
): MetricSources => ({
  runsInFlight: () => admission.inFlight(),
  ledgerLoad: () => ledger.load(),
  ledgerCommits: () => ledger.commits(),
  logSize: () => ledger.logSize(),
  apiKeys,
  egressExceptions: () => exceptions.length,
  logConsistent: () => head.isConsistent(),
  logHeadSize: () => head.savedSize(),
});

/**
 * Opens the parts in this order: ledger (its lock comes first), dialer, metrics, runtime.
 * @param root folder of the program's package
 */
export async function openPlatform(root: string, options: PlatformOptions): Promise<Platform> {
  const { clock, log, keys, exceptions, ca } = options;
  const version = versionOf(root);
  const random = randomSource();
  const document = await openDocument(keys);
  const head = createLogHead(options, document);
  const ledger = await openLedger(options, random, head);
  const dialer = createDialer({ exceptions, ca, clock });
  const delay = watchLoopDelay();
  const admission = createAdmission({ ledger: () => ledger.load(), loopDelayMs: delay.meanMs });
  const metrics = createMetrics({ clock, version, sources: metricSources(options, { ledger, head, admission }) });
  const catalog = new MemoryCatalog();
  const { reputation, certificates, cases, scores } = createReputation(options, {
    ledger,
    random,
    document,
    metrics,
    ledgerFile: ledgerFile(options),
  });
  await reputation.open();
  const policy = await createPolicies({ ledger, reputation, metrics, clock, log, settings: options.runtime });
  const runtime = createRuntime(options, { ledger, dialer, catalog, metrics, version, random, reputation, ...policy });
  const replays = createReplays({
    runtime,
    document,
    ledgerFile: ledgerFile(options),
    policies: policy.policies,
    metrics,
  });
  const close = async (): Promise<void> => {
    delay.close();
    cases.close();
    await dialer.destroy();
    await scores.close();
    await replays.close();
    await ledger.close();
    await runtime.selfCheck.close();
    await head.close();
    await log.logger.flush();
  };
  const made = {
    ledger,
    logHead: head,
    followHead: (store: HeadStore, forked: (doubt: Doubt) => void) =>
      head.follow({ ledger, store, forked, opened: (size) => beginLog(options, ledger, size) }),
    dialer,
    catalog,
    metrics,
    admission,
    runtime,
    policies: policy.policies,
    replays,
    certificates,
    reputation,
  };
  return { version, clock, log, keys, random, exceptions, close, ...made };
}
