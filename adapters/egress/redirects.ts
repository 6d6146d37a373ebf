import type { DialLimits } from './port.ts';

export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface RedirectRequest {
  readonly url: URL;
  readonly method: string;
  /** Redirects followed before this answer. */
  readonly hops: number;
  readonly limits: Pick<DialLimits, 'followRedirects' | 'idempotent'>;
}

export type NextHop =
  /** The answer is returned as it is. */
  { readonly kind: 'answer' } | { readonly kind: 'follow'; readonly url: string } | { readonly kind: 'refuse' };

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ANSWER: NextHop = { kind: 'answer' };

/** A 303 turns other methods into GET, and 301 and 302 do so in practice: only 307 and 308 repeat the request. */
function mayRepeat(status: number, method: string, idempotent: boolean): boolean {
  return method === 'GET' || method === 'HEAD' || (idempotent && (status === 307 || status === 308));
}

/** The step after an answer (security.md §3.5): by default a 3xx is the answer; a hop stays on its https origin. */
export function nextHop({ status, headers }: Answer, { url, method, hops, limits }: RedirectRequest): NextHop {
  if (!REDIRECTS.has(status) || hops >= limits.followRedirects) return ANSWER;
  if (!mayRepeat(status, method, limits.idempotent)) return ANSWER;
  const location = headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined) return ANSWER;
  const target = URL.parse(location, url.href);
  if (target === null || target.protocol !== 'https:' || target.origin !== url.origin) return { kind: 'refuse' };
  target.hash = '';
  return { kind: 'follow', url: target.href };
}
