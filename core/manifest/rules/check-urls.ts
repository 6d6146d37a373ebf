import type { Manifest } from '../../../crds/manifest.ts';
import type { Finding } from '../finding.ts';
import { requestsOf } from './executions.ts';

// What stands before the path. A backslash ends it: URL parsers read one as a slash.
const ORIGIN = /^([^:/?#\\]*):\/\/([^/?#\\]*)/;
const INPUT = /\{\{ *inputs\./;
const PLACEHOLDER = /\{\{[^{}]*\}\}/g;
const IPV4 = /^[0-9]+(?:[.][0-9]+){3}$/;
const PRIVATE_SUFFIXES = ['local', 'internal', 'svc', 'localhost', 'home.arpa'];

type Fault = Pick<Finding, 'code' | 'detail'>;

const INPUT_IN_HOST: Fault = {
  code: 'manifest-input-in-host',
  detail: 'An input never reaches scheme, host or port; use it in the path or the query.',
};
const NOT_HTTPS: Fault = {
  code: 'manifest-url-not-https',
  detail: 'Providers are called over https only; begin with https://.',
};
const PRIVATE: Fault = {
  code: 'manifest-host-private',
  detail:
    'The host must be a public name: no IP address, no single label, nothing under .local, .internal, .svc, .localhost or .home.arpa.',
};

/** The host as URL parsers see it: lower case, A-labels, every form of an IPv4 address as four numbers. */
const canonicalHost = (authority: string): string | undefined =>
  URL.parse(`https://${authority}`)?.hostname.replace(/[.]$/, '');

function isPrivate(authority: string): boolean {
  // Secret labels of a host are names; the rest must be public by itself.
  const host = canonicalHost(authority.replaceAll(PLACEHOLDER, 'x'));
  if (host === undefined) return false; // core/template refuses what is no URL
  if (host.startsWith('[') || IPV4.test(host) || !host.includes('.')) return true;
  return PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

function isAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  const parsed = URL.parse(origin)?.origin;
  // Schemes without hosts all have the origin `null`.
  const isReal = parsed !== undefined && parsed !== 'null';
  return isReal && allowedOrigins.some((allowed) => URL.parse(allowed)?.origin === parsed);
}

interface Origin {
  readonly scheme: string;
  readonly authority: string;
  /** What decides where the request goes; without an authority, all that could become one. */
  readonly front: string;
}

function originOf(url: string): Origin {
  const [front = '', scheme = '', authority = ''] = ORIGIN.exec(url) ?? url.split('/', 1);
  return { scheme: scheme.toLowerCase(), authority: authority.toLowerCase(), front };
}

function faultOf(url: string, allowedOrigins: readonly string[]): Fault | undefined {
  const { scheme, authority, front } = originOf(url);
  if (INPUT.test(front)) return INPUT_IN_HOST;
  if (isAllowed(`${scheme}://${authority}`, allowedOrigins)) return undefined;
  if (scheme !== 'https') return NOT_HTTPS;
  return isPrivate(authority) ? PRIVATE : undefined;
}

/**
 * Where requests go: `manifest-url-not-https`, `manifest-host-private`, `manifest-input-in-host` (security.md S18), for
 * every provider and probe.
 * @param allowedOrigins `scheme://host[:port]` of `--egress-allow` and `--egress-stub`: exempt from the first two
 */
export function checkUrls(manifest: Manifest, allowedOrigins: readonly string[]): readonly Finding[] {
  return requestsOf(manifest).flatMap(({ pointer, request: { url } }): readonly Finding[] => {
    const fault = url === undefined ? undefined : faultOf(url, allowedOrigins);
    return fault === undefined ? [] : [{ ...fault, pointer: `${pointer}/url`, severity: 'error' }];
  });
}
