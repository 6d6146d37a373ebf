import type { JsonValue } from '../../core/json/json-value.ts';
import type { Reply } from './route.ts';

/** An answer with a JSON body. @param headers names in lower case */
export const json = (value: JsonValue, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

const opaque = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag);

/**
 * True when `If-None-Match` holds this ETag, by weak comparison (RFC 9110 §13.1.2). Express's `fresh` is not used: it
 * would always answer 200 to the `fetch` of Node, which sends `Cache-Control: no-cache` beside every `If-None-Match`.
 */
const isFresh = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((item) => item.trim() === '*' || opaque(item.trim()) === opaque(etag));

/** A reply whose body may be made only when it is sent. */
interface LazyReply extends Omit<Reply, 'body'> {
  readonly body: Reply['body'] | (() => Reply['body']);
}

/** The reply with its ETag, or 304 with the same headers when the caller already has it. */
export function conditional(ifNoneMatch: string | undefined, etag: string, { body, ...reply }: LazyReply): Reply {
  const headers: Readonly<Record<string, string>> = { ...reply.headers, etag };
  if (!isFresh(ifNoneMatch, etag)) return { ...reply, headers, body: typeof body === 'function' ? body() : body };
  const { 'content-type': _type, ...kept } = headers;
  return { status: 304, headers: kept, body: '' };
}
