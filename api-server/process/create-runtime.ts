import { AnswerRunner } from '../../adapters/answer-worker/answer-runner.ts';
import { cleartextOrigins } from '../../adapters/egress/allow-rules.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import { loadNativeEd25519, type NativeEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { hmacSha256, nodeEncoding, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import { ed25519Signing } from '../../adapters/keys/receipt-signer.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { callerTag } from '../../core/receipt/caller-tag.ts';
import { CallerTags } from '../runtime/caller-tags.ts';
import { OrbFailovers } from '../runtime/failover/orb-failovers.ts';
import { KillSwitches } from '../runtime/kill-switches.ts';
import { RunRates } from '../runtime/run-rates.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { RunsInFlight } from '../runtime/runs-in-flight.ts';
import { AwaitedPlaces } from '../../core/fair-share/awaited-places.ts';
import { Slots } from '../runtime/slots.ts';
import { followSuspensions } from '../runtime/suspended-versions.ts';
import { WarningLimiter } from '../runtime/warning-limiter.ts';
import { SelfCheck, startCheckThread } from '../self-check/self-check.ts';
import type { Platform, PlatformOptions } from './platform.ts';

// security.md S6
const SLOTS = { perKey: 256, waiting: 1000 };
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Of large answers, while they arrive and until they are read: a pod of 512 MiB has room for so many. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_TIMEOUT_MS = 120_000;

type Parts = Pick<
  Platform,
  'ledger' | 'dialer' | 'catalog' | 'metrics' | 'version' | 'random' | 'reputation' | 'policies'
> &
  Pick<Runtime, 'policyState' | 'turns'>;

function selfCheckOf({ receiptPublic, receipt }: PlatformKeys, native: NativeEd25519, logger: Logger): SelfCheck {
  const selfCheck = new SelfCheck(receiptPublic, {
    native,
    signingKey: receipt.privateKey,
    start: startCheckThread,
    onCrash: (error) => logger.error('the thread that checks receipts ended; another one is started', { error }),
  });
  if (!native.ok)
    logger.info('receipts are signed and checked by node:crypto, in up to twice the time of libsodium', {
      reason: native.reason,
    });
  return selfCheck;
}

/** What executes runs in one process. */
export function createRuntime({ clock, log, keys, exceptions, runtime, use }: PlatformOptions, parts: Parts): Runtime {
  const { version, reputation, policies, policyState, ...shared } = parts;
  const { catalog, metrics } = parts;
  const native = loadNativeEd25519();
  const inFlight = new RunsInFlight();
  const switches = new KillSwitches(inFlight);
  followSuspensions(reputation.listings, switches, log.logger);
  return {
    ...shared,
    clock,
    sha256,
    sealing: {
      signer: { kid: keys.receipt.kid, sign: ed25519Signing(keys.receipt.privateKey, native) },
      sha256Hex,
      encoding: nodeEncoding,
    },
    issuer: keys.issuer,
    logger: log.logger,
    settings: {
      ...runtime,
      ledgerQuotaBytes: use.ledgerQuotaBytes,
      cleartextOrigins: cleartextOrigins(exceptions),
      userAgent: `orb-platform/${version}`,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
    tags: new CallerTags((tenant, finishedAt) => callerTag(keys.tagKey, tenant, finishedAt, hmacSha256)),
    selfCheck: selfCheckOf(keys, native, log.logger),
    answers: new AnswerRunner({ logger: log.logger }),
    slots: new Slots({ ...SLOTS, tenantPct: use.tenantPct }),
    answerBytes: new AwaitedPlaces({ places: ANSWER_BYTES, tenantPct: use.tenantPct, most: MAX_RESPONSE_BYTES }),
    inFlight,
    rates: new RunRates(use.rates),
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
