import { isIP } from 'node:net';
import type { AllowRule } from './port.ts';
import { isLoopback } from '../../core/network/loopback.ts';

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export type ParsedAllowRules =
  | { readonly ok: true; readonly exceptions: readonly AllowRule[] }
  /** One line per wrong option. */
  | { readonly ok: false; readonly errors: readonly string[] };

const MAX_PORT = 65_535;

const bare = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host);

/** Scheme, host and port, followed by at most one slash. */
function readOrigin(text: string): Read<URL> {
  const url = URL.parse(text);
  if (url === null) return { ok: false, error: 'is no URL; write scheme://host:port' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ok: false, error: 'must begin with https:// or http://' };
  }
  if (url.username !== '' || url.password !== '') return { ok: false, error: 'must not hold a user name' };
  if (url.href !== `${url.origin}/`) return { ok: false, error: `must be an origin alone, as ${url.origin}` };
  if (url.hostname.includes('*')) return { ok: false, error: 'must name one host, without *' };
  return { ok: true, value: url };
}

function readAllow(text: string): Read<AllowRule> {
  const origin = readOrigin(text);
  return origin.ok ? { ok: true, value: { kind: 'allow', origin: origin.value.origin } } : origin;
}

function readPlace(text: string): Read<{ readonly address: string; readonly port: number }> {
  const colon = text.lastIndexOf(':');
  const address = bare(text.slice(0, Math.max(colon, 0)));
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (isIP(address) === 0) return { ok: false, error: 'needs an IP address and a port behind =, as 127.0.0.1:9443' };
  if (!/^\d{1,5}$/.test(digits) || port < 1 || port > MAX_PORT) {
    return { ok: false, error: `needs a port from 1 to ${MAX_PORT} behind the address` };
  }
  return { ok: true, value: { address, port } };
}

function readStub(text: string): Read<AllowRule> {
  const equals = text.indexOf('=');
  if (equals < 0) return { ok: false, error: 'must have the form ORIGIN=ADDRESS:PORT' };
  const origin = readOrigin(text.slice(0, equals));
  if (!origin.ok) return origin;
  if (origin.value.protocol !== 'https:') return { ok: false, error: 'must stand for an https origin' };
  if (isIP(bare(origin.value.hostname)) !== 0)
    return { ok: false, error: 'must stand for a host name, not an address' };
  const place = readPlace(text.slice(equals + 1));
  return place.ok ? { ok: true, value: { kind: 'stub', origin: origin.value.origin, ...place.value } } : place;
}

/** Keeps a password out of the message. */
const withoutUser = (text: string): string => text.replace(/\/\/[^/]*@/, '//…@');

/**
 * Parses `--egress-allow ORIGIN` and `--egress-stub ORIGIN=ADDRESS:PORT` (security.md §3.1). Reports all errors at
 * once.
 */
export function parseAllowRules(allow: readonly string[], stub: readonly string[]): ParsedAllowRules {
  const exceptions = new Map<string, AllowRule>();
  const errors: string[] = [];
  const read = (option: string, text: string, result: Read<AllowRule>): void => {
    if (!result.ok) errors.push(`${option} ${withoutUser(text)}: ${result.error}`);
    else if (exceptions.has(result.value.origin))
      errors.push(`${option} ${text}: ${result.value.origin} is there already`);
    else exceptions.set(result.value.origin, result.value);
  };
  for (const text of allow) read('--egress-allow', text, readAllow(text));
  for (const text of stub) read('--egress-stub', text, readStub(text));
  return errors.length === 0 ? { ok: true, exceptions: [...exceptions.values()] } : { ok: false, errors };
}

/**
 * Origins that may get secrets without TLS: only those whose traffic never leaves this machine, and only by
 * `--egress-allow` (security.md §3.1).
 */
export function cleartextOrigins(exceptions: readonly AllowRule[]): ReadonlySet<string> {
  const loopback = exceptions.filter(({ kind, origin }) => kind === 'allow' && isLoopback(new URL(origin).hostname));
  return new Set(loopback.map(({ origin }) => origin));
}
