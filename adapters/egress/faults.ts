import { errorCode } from '../../core/errors/error-code.ts';
import type { BlockedCode, DialFailure } from './port.ts';

/**
 * Carries a failure through undici, which only passes errors on. Its text is the code: no address, URL or header. It has no
 * stack: a stack takes 10 µs and more, and a provider chooses how often an exchange fails.
 */
export class EgressFault extends Error {
  readonly failure: DialFailure;
  constructor(failure: DialFailure) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(failure.code);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'EgressFault';
    this.failure = failure;
  }
}

export const blocked = (code: BlockedCode): EgressFault => new EgressFault({ kind: 'blocked', code });

const CANCELLED: DialFailure = { kind: 'cancelled', code: 'cancelled' };

/** Our own shortage: the provider has no part in it. */
export const EXHAUSTED: DialFailure = { kind: 'exhausted', code: 'platform-exhausted' };

const KNOWN: Readonly<Record<string, DialFailure>> = {
  UND_ERR_HEADERS_OVERFLOW: { kind: 'response', code: 'headers-too-large' },
  UND_ERR_DESTROYED: CANCELLED,
  UND_ERR_CLOSED: CANCELLED,
  UND_ERR_INVALID_ARG: { kind: 'transport', code: 'protocol' },
  UND_ERR_NOT_SUPPORTED: { kind: 'transport', code: 'protocol' },
  EPROTO: { kind: 'transport', code: 'tls' },
  // The process or its machine has no descriptor, memory or buffer left.
  EMFILE: EXHAUSTED,
  ENFILE: EXHAUSTED,
  ENOMEM: EXHAUSTED,
  ENOBUFS: EXHAUSTED,
  EAI_MEMORY: EXHAUSTED,
};

const knownFailure = (code: string): DialFailure | undefined => (Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined);

/** Whether a call failed for want of something that this process lacks. */
export const isShortage = (error: unknown): boolean => knownFailure(errorCode(error) ?? '') === EXHAUSTED;

/**
 * The parser's errors: not all have a code. After the head they mean a body that ends too early or in the wrong place.
 */
const malformed = (error: unknown, code: string): boolean =>
  code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || (error instanceof Error && error.name === 'HTTPParserError');

/**
 * The failure behind an error of undici, of the parser or of the socket. Its text is dropped, because it can quote what
 * was sent.
 * @param responding the head of an answer has arrived
 */
export function failureOf(error: unknown, responding: boolean): DialFailure {
  if (error instanceof EgressFault) return error.failure;
  const code = errorCode(error) ?? '';
  const known = knownFailure(code);
  if (known !== undefined) return known;
  if (malformed(error, code)) return { kind: 'transport', code: responding ? 'truncated' : 'protocol' };
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return { kind: 'transport', code: 'tls' };
  return { kind: 'transport', code: responding ? 'truncated' : 'reset' };
}

/** The failure of an exchange that a signal ended (port.ts). */
export function abortFailure(signal: AbortSignal): DialFailure {
  const reason: unknown = signal.reason;
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? { kind: 'timeout', code: 'deadline' }
    : CANCELLED;
}
