import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { MemoryCatalog } from '../adapters/catalog/memory-catalog.ts';
import { createDialer } from '../adapters/egress/dialer.ts';
import { plainOrigins } from '../adapters/egress/exceptions.ts';
import type { Dialer, EgressException } from '../adapters/egress/port.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import { hmacSha256, nodeEncoding, randomSource, sha256 } from '../adapters/keys/primitives.ts';
import type { Ledger } from '../adapters/ledger/port.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite-ledger.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import { createMetrics, type Metrics } from '../adapters/telemetry/metrics.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { createAdmission, type Admission } from '../api-server/http/admission.ts';
import { watchLoopDelay } from '../api-server/http/loop-delay.ts';
import { CallerTags } from '../api-server/runtime/caller-tags.ts';
import { Hourly } from '../api-server/runtime/hourly.ts';
import { RunsInFlight } from '../api-server/runtime/runs-in-flight.ts';
import type { Runtime } from '../api-server/runtime/runtime.ts';
import { SelfCheck } from '../api-server/runtime/self-check.ts';
import { Slots } from '../api-server/runtime/slots.ts';
import { callerTag } from '../core/receipt/caller-tag.ts';
import type { DataFolder } from './data-folder.ts';

/** Everything of one process that lives as long as it does. */
export interface Platform {
  readonly version: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly keys: PlatformKeys;
  readonly ledger: Ledger;
  readonly dialer: Dialer;
  readonly catalog: MemoryCatalog;
  readonly apiKeys: ApiKeyStore;
  readonly metrics: Metrics;
  readonly admission: Admission;
  readonly runtime: Runtime;
  readonly random: (bytes: number) => Uint8Array;
  readonly exceptions: readonly EgressException[];
  /** Ends what `openPlatform` began; the HTTP servers are closed before. */
  readonly close: () => Promise<void>;
}

export interface PlatformOptions {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly keys: PlatformKeys;
  readonly exceptions: readonly EgressException[];
  /** PEM texts that the exceptions trust. */
  readonly ca: readonly string[];
  /** How the command line is called from here. */
  readonly orb: string;
}

// security.md S6
const SLOTS = { perKey: 256, waiting: 1000 };
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MAX_TIMEOUT_MS = 120_000;
const PLATFORM_NAMESPACE = 'orb-system';

/** Version of this program, from its package. */
function versionOf(root: string): string {
  const value: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}

const quote = (text: string): string =>
  /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The line that adds an entry, as it must be typed where the platform was started. */
const secretHint =
  (orb: string, data: string): Runtime['settings']['secretHint'] =>
  ({ namespace, name }, entry, host) => {
    const place = namespace === 'default' && name === 'default' ? '' : ` -n ${namespace} --orbiset ${name}`;
    const folder = data === resolve('.orb') ? '' : ` --data ${quote(data)}`;
    return `${orb} secrets set ${entry} --host ${quote(host)}${place}${folder}`;
  };

async function openLedger(options: PlatformOptions, random: (bytes: number) => Uint8Array): Promise<Ledger> {
  const { folder, clock, keys } = options;
  const { privateKey, publicKey } = keys.log;
  const ledger = await openSqliteLedger({
    file: join(folder.ledger, 'ledger.sqlite'),
    identity: { issuer: keys.issuer, logOrigin: keys.logOrigin },
    logKey: { privateKey, publicKey },
    dataKey: keys.dataKey,
    clock,
    random,
  });
  // The first entries of a log are the keys that sign it (trust.md §3.1).
  if ((await ledger.logSize()) === 0) await ledger.appendEntries(keys.keyEvents);
  return ledger;
}

type Parts = Pick<Platform, 'ledger' | 'dialer' | 'catalog' | 'metrics' | 'version' | 'random'>;

function createRuntime({ clock, log, keys, exceptions, orb, folder }: PlatformOptions, parts: Parts): Runtime {
  const { ledger, dialer, catalog, metrics, version, random } = parts;
  return {
    catalog,
    ledger,
    dialer,
    clock,
    random,
    sha256,
    sealing: { signer: keys.receipt, sha256, encoding: nodeEncoding },
    issuer: keys.issuer,
    logger: log.logger,
    metrics,
    settings: {
      platformNamespace: PLATFORM_NAMESPACE,
      plainOrigins: plainOrigins(exceptions),
      standalone: true,
      owner: `standalone-${process.pid}`,
      userAgent: `orb-platform/${version}`,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      secretHint: secretHint(orb, folder.path),
    },
    tags: new CallerTags((tenant, finishedAt) => callerTag(keys.tagKey, tenant, finishedAt, hmacSha256)),
    selfCheck: new SelfCheck(keys.receiptPublic, availableParallelism() - 1),
    slots: new Slots(SLOTS),
    inFlight: new RunsInFlight(),
    echoes: new Hourly(clock.monotonic),
  };
}

/** Opens the parts in their order: ledger (its lock comes first), API keys, dialer, metrics, runtime. */
export async function openPlatform(root: string, options: PlatformOptions): Promise<Platform> {
  const { folder, clock, log, keys, exceptions, ca } = options;
  const version = versionOf(root);
  const random = randomSource();
  const ledger = await openLedger(options, random);
  const apiKeys = new ApiKeyStore(folder.apiKeys, { clock, logger: log.logger });
  await apiKeys.open();
  const dialer = createDialer({ exceptions, ca, clock });
  const delay = watchLoopDelay();
  const admission = createAdmission({ ledger: () => ledger.load(), loopDelayMs: delay.meanMs });
  const sources = {
    runsInFlight: () => admission.inFlight(),
    ledgerLoad: () => ledger.load(),
    logSize: () => ledger.logSize(),
    apiKeys: () => apiKeys.keys(),
    egressExceptions: () => exceptions.length,
  };
  const metrics = createMetrics({ clock, version, sources });
  const catalog = new MemoryCatalog();
  const runtime = createRuntime(options, { ledger, dialer, catalog, metrics, version, random });
  const close = async (): Promise<void> => {
    delay.close();
    await apiKeys.close();
    await dialer.destroy();
    await ledger.close();
    await log.logger.flush();
  };
  return {
    version,
    clock,
    log,
    keys,
    ledger,
    dialer,
    catalog,
    apiKeys,
    metrics,
    admission,
    runtime,
    random,
    exceptions,
    close,
  };
}
