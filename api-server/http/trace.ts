import { encodeHex } from '../../core/json/hex.ts';

// Version 00 ends after the flags; a later version may continue after a hyphen; ff is invalid. Ids of zeros are invalid
// (Trace Context §3.2).
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

interface Trace {
  readonly id: string;
  readonly sampled: boolean;
}

function traceOf(header: string): Trace | undefined {
  const [whole, version, id = '', flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (whole === undefined || (version === '00' && more !== undefined)) return undefined;
  return { id, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/**
 * Trace context of one request: the caller's trace id and sampling flag when its header is valid, else a new trace.
 * The parent id is always new, so that a provider sees this process as its caller.
 * @param random n random bytes
 */
export function traceparentOf(header: string | undefined, random: (bytes: number) => Uint8Array): string {
  const trace = header === undefined ? undefined : traceOf(header);
  const { id, sampled } = trace ?? { id: encodeHex(random(16)), sampled: false };
  return `00-${id}-${encodeHex(random(8))}-${sampled ? '01' : '00'}`;
}
