import type { ProviderExchange } from '../attempts/classify.ts';
import { retryAfterMs } from '../attempts/retry-after.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import type { CompiledProvider } from '../orb/compiled-orb.ts';
import { readAnswer, type AnswerReading } from '../run/read-answer.ts';
import type { MockResponse } from './suite.ts';

/** A simulated exchange with a provider. */
export interface MockExchange extends Omit<AnswerReading, 'cause'> {
  /** Request headers reached the provider. */
  readonly sent: boolean;
  readonly status: number | null;
  /** Virtual ms from the request to the end. */
  readonly ms: number;
  readonly retryAfterMs: number | undefined;
}

const NO_BYTES = new Uint8Array();

const isText = (type: string | undefined): boolean =>
  type !== undefined && !/(?:\/|\+)json$/.test(type.split(';', 1)[0]?.trim().toLowerCase() ?? '');

/** A text under a type that is not JSON, or without a type, is sent as it is; every other body is sent as JSON. */
function bytesOf({ body }: MockResponse, type: string | undefined): Uint8Array {
  if (body === undefined) return NO_BYTES;
  const isRaw = typeof body === 'string' && (type === undefined || isText(type));
  return encodeUtf8(isRaw ? body : JSON.stringify(body));
}

const lowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const failed = (
  cause: Extract<ProviderExchange, { kind: 'failed' }>['cause'],
  ending: Pick<MockExchange, 'sent' | 'status' | 'ms'>,
): MockExchange => ({
  exchange: { kind: 'failed', cause },
  outputs: null,
  complete: false,
  retryAfterMs: undefined,
  ...ending,
});

const own = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(headers, name) ? headers[name] : undefined;

/** An answer that arrives in time. */
function answered(response: MockResponse, status: number, provider: CompiledProvider, ms: number): MockExchange {
  const headers = lowerCase(response.headers ?? {});
  const type = own(headers, 'content-type');
  const bytes = bytesOf(response, type);
  if (bytes.length > (provider.maxResponseBytes ?? Infinity)) return failed('response', { sent: true, status, ms });
  const head = { status, contentType: () => type, headers: () => headers };
  const wait = own(headers, 'retry-after');
  return {
    ...readAnswer(head, bytes, provider.outputs),
    sent: true,
    status,
    ms,
    // Virtual time begins at the epoch.
    retryAfterMs: wait === undefined ? undefined : retryAfterMs(wait, 0),
  };
}

/**
 * Simulates one attempt.
 * @param limitMs virtual ms after which the attempt is cut
 */
export function mockAnswer(response: MockResponse, provider: CompiledProvider, limitMs: number): MockExchange {
  const { status, error, delay_ms: ms = 0 } = response;
  if (error === 'timeout' || ms >= limitMs) return failed('timeout', { sent: true, status: null, ms: limitMs });
  if (status === undefined) return failed('transport', { sent: false, status: null, ms });
  return answered(response, status, provider, ms);
}
