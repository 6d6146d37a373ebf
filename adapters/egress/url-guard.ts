import { isIP } from 'node:net';
import type { BlockedCode, AllowRule } from './port.ts';

export interface UrlRules {
  /** Ports that a provider may listen on; allow rules add their own. */
  readonly ports: ReadonlySet<number>;
  /** By origin, as `URL.origin` writes it. */
  readonly exceptions: ReadonlyMap<string, AllowRule>;
}

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL; readonly exception: AllowRule | undefined }
  | { readonly ok: false; readonly code: BlockedCode };

/**
 * A-labels; `URL` has mapped, lowered and unescaped the name before. Single labels fail at DNS, which gets them with a
 * dot.
 */
const HOST = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

const bare = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function guardUrl(url: URL, ports: ReadonlySet<number>): BlockedCode | null {
  if (url.protocol !== 'https:') return 'egress-denied-scheme';
  if (isIP(bare(url.hostname)) !== 0) return 'egress-denied-literal';
  if (!HOST.test(url.hostname)) return 'egress-denied-url';
  return ports.has(portOf(url)) ? null : 'egress-denied-port';
}

/** Layer 1 (security.md §3.1): the text is parsed once, and only the parsed form is checked and used. */
export function checkUrl(text: string, { ports, exceptions }: UrlRules): CheckedUrl {
  const url = URL.parse(text);
  // `href` shows an empty fragment, `hash` doesn't.
  if (url === null || url.username !== '' || url.password !== '' || url.href.includes('#')) {
    return { ok: false, code: 'egress-denied-url' };
  }
  const exception = exceptions.get(url.origin);
  if (exception !== undefined) return { ok: true, url, exception };
  const code = guardUrl(url, ports);
  return code === null ? { ok: true, url, exception } : { ok: false, code };
}
