import type { DialFailure, DialResult, TransportFault } from '../../adapters/egress/port.ts';
import { agoText, causeOf, limitText, spanText, statusCause, withDetail } from '../../core/attempts/cause.ts';
import type { AttemptCause, AttemptReason } from '../../core/attempts/reasons.ts';
import type { CompiledProvider } from '../../core/orb/compiled-orb.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';

/** The limits that an attempt had, for the text about the one that ended it. */
export interface AttemptLimits {
  readonly provider: Pick<CompiledProvider, 'request' | 'connectTimeoutMs' | 'bodyIdleMs'>;
  /** Largest answer, bytes. */
  readonly maxResponseBytes: number;
  /** Limit of this attempt alone; undefined: the remaining time of the run. */
  readonly attemptMs: number | undefined;
  /** Limit of the run. */
  readonly runMs: number;
  /** Ms since epoch. */
  readonly now: number;
}

/** A host that the manifest writes out. A host that is made of a secret is not shown. */
const hostOf = ({ provider }: AttemptLimits): string => provider.request.literalHost ?? 'the host';

function expiredCause(at: number | null, now: number): AttemptCause {
  return causeOf('certificate-expired', at === null ? undefined : `certificate expired ${agoText(now - at)} ago`);
}

const TRANSPORT_REASONS = {
  dns: 'host-not-found',
  connect: 'connection-failed',
  tls: 'tls-failed',
  reset: 'connection-reset',
  truncated: 'answer-cut',
  protocol: 'not-http',
} as const satisfies Record<Extract<DialFailure, { kind: 'transport' }>['code'], AttemptReason>;

function faultCause(fault: TransportFault, limits: AttemptLimits): AttemptCause {
  const host = hostOf(limits);
  switch (fault.kind) {
    case 'no-lookup':
      return causeOf('lookup-failed', `no name server answered for ${host}`);
    case 'refused':
      return causeOf('connection-refused', `connection refused by ${host}`);
    case 'untrusted':
      return causeOf('certificate-untrusted', `no known authority signed the certificate of ${host}`);
    case 'wrong-name':
      return causeOf('certificate-wrong-name', `the certificate does not name ${host}`);
    case 'not-yet-valid':
      return causeOf('certificate-not-yet-valid');
    case 'expired':
      return expiredCause(fault.at, limits.now);
    case 'not-tls':
      return causeOf('tls-failed', `${host} does not speak TLS on this port`);
    default:
      return fault satisfies never;
  }
}

function transportCause(failure: Extract<DialFailure, { kind: 'transport' }>, limits: AttemptLimits): AttemptCause {
  if (failure.fault !== undefined) return faultCause(failure.fault, limits);
  const reason = TRANSPORT_REASONS[failure.code];
  return failure.code === 'dns' ? causeOf(reason, `host not found: ${hostOf(limits)}`) : causeOf(reason);
}

function timeoutCause({ code }: Extract<DialFailure, { kind: 'timeout' }>, limits: AttemptLimits): AttemptCause {
  const { provider, attemptMs, runMs } = limits;
  switch (code) {
    case 'connect-timeout':
      return causeOf(
        'connect-timeout',
        `no connection to ${hostOf(limits)} within ${spanText(provider.connectTimeoutMs)}`,
      );
    case 'body-idle':
      return causeOf('body-stalled', `no byte of the body for ${spanText(provider.bodyIdleMs)}`);
    case 'deadline': {
      const own = attemptMs !== undefined && attemptMs < runMs;
      const limit = own
        ? `${spanText(attemptMs)}, the limit of the attempt`
        : `${spanText(runMs)}, the limit of the run`;
      return causeOf('answer-timeout', `no whole answer within ${limit}`);
    }
    default:
      return code satisfies never;
  }
}

const RESPONSE_REASONS = {
  'response-too-large': 'answer-too-large',
  'unsupported-encoding': 'encoding-unsupported',
  undecodable: 'encoding-broken',
  'headers-too-large': 'headers-too-large',
} as const satisfies Record<Extract<DialFailure, { kind: 'response' }>['code'], AttemptReason>;

function dialCause(failure: DialFailure, limits: AttemptLimits): AttemptCause {
  switch (failure.kind) {
    case 'blocked':
    case 'cancelled':
    case 'exhausted':
      return causeOf(failure.code);
    case 'transport':
      return transportCause(failure, limits);
    case 'timeout':
      return timeoutCause(failure, limits);
    case 'response': {
      const reason = RESPONSE_REASONS[failure.code];
      const isSize = reason === 'answer-too-large';
      return causeOf(reason, isSize ? `answer larger than ${limitText(limits.maxResponseBytes)}` : undefined);
    }
    default:
      return failure satisfies never;
  }
}

/** What an attempt that failed came to. */
export interface FailedResult {
  readonly result: DialResult;
  /** Why the answer is a failure; undefined: there is none. */
  readonly reading: AttemptCause | undefined;
  /** The pause that the provider asks for. */
  readonly retryAfterMs: number | undefined;
}

function unredacted({ result, reading, retryAfterMs }: FailedResult, limits: () => AttemptLimits): AttemptCause {
  if (result.kind === 'failed') return dialCause(result.failure, limits());
  const isGood = result.status >= 200 && result.status <= 299;
  return isGood && reading !== undefined ? reading : statusCause(result.status, retryAfterMs);
}

/** Why an attempt failed, without known forms of a secret of the calling Orbiset (security.md §5). */
export function attemptCause(failed: FailedResult, limits: () => AttemptLimits, redactor: Redactor): AttemptCause {
  const cause = unredacted(failed, limits);
  return withDetail(cause, redactor.text(cause.detail).value);
}
