import type { Manifest } from '../../crds/manifest.ts';
import { PROVIDER_PORTS } from '../egress/provider-ports.ts';
import type { Finding } from '../manifest/finding.ts';
import { WHOLE_URL } from '../template/compile-url.ts';
import { requestsOf } from './executions.ts';

// The part before the path. A backslash ends it, because URL parsers read it as a slash.
const ORIGIN = /^([^:/?#\\]*):\/\/([^/?#\\]*)/;
const INPUT = /\{\{ *inputs\./;
const PLACEHOLDER = /\{\{[^{}]*\}\}/g;
/** A secret in place of scheme and host. */
const WHOLE_SECRET = /^\{\{ *orbiset\.secrets\.[^{}]*\}\}(?!:\/\/)/;
const IPV4 = /^[0-9]+(?:[.][0-9]+){3}$/;
const HTTPS_PORT = 443;
const PRIVATE_SUFFIXES = ['local', 'internal', 'svc', 'localhost', 'home.arpa'];

type Fault = Pick<Finding, 'code' | 'detail'>;

const INPUT_IN_HOST: Fault = {
  code: 'manifest-input-in-host',
  detail: 'An input never reaches scheme, host or port; use it in the path or the query.',
};

/** An origin as the flags take it. One with a placeholder, or of another scheme, can't be an exception. */
function originText(scheme: string, authority: string): string {
  const origin = URL.parse(`${scheme}://${authority}`)?.origin;
  return origin === undefined || !/^https?:[^{}%]+$/.test(origin) ? 'ORIGIN' : origin;
}

/** A public host must be called over https; a provider of one's own may be an exception of the dialer. */
const notHttps = ({ scheme, authority }: Origin): Fault => ({
  code: 'manifest-url-not-https',
  detail:
    scheme === 'http' && isPrivate(authority)
      ? `Providers are called over https only; begin with https://, or start with --egress-allow ${originText(scheme, authority)}.`
      : 'Providers are called over https only; begin with https://.',
});

const SECRET_AS_HOST: Fault = {
  code: 'manifest-host-private',
  detail:
    'A secret is never the host: it would decide where the request goes. Write the host, and keep the rest of the path in the vault: https://hooks.example.com/{{orbiset.secrets.KEY:path}}.',
};

const privateHost = ({ scheme, authority }: Origin): Fault => ({
  code: 'manifest-host-private',
  detail: `The host must be a public name: no IP address, no single label, nothing under .local, .internal, .svc, .localhost or .home.arpa; or start with --egress-allow ${originText(scheme, authority)} or --egress-stub ORIGIN=ADDRESS:PORT.`,
});

const refusedPort = (authority: string): Fault => ({
  code: 'manifest-port-refused',
  detail: `A provider is called on port ${PROVIDER_PORTS.join(' or ')} only; remove the port, or start with --egress-allow ${originText('https', authority)}.`,
});

/** The host as URL parsers read it: lower case, A-labels, every form of an IPv4 address as four numbers. */
const canonicalHost = (authority: string): string | undefined =>
  URL.parse(`https://${authority}`)?.hostname.replace(/[.]$/, '');

function isPrivate(authority: string): boolean {
  // A placeholder of a secret counts as a label of the host name; the rest must be public without it.
  const host = canonicalHost(authority.replaceAll(PLACEHOLDER, 'x'));
  if (host === undefined) return false; // core/template refuses an invalid URL
  if (host.startsWith('[') || IPV4.test(host) || !host.includes('.')) return true;
  return PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Whether the dialer refuses the port. A port from an input or a secret is refused by another rule. */
function hasRefusedPort(authority: string): boolean {
  const url = URL.parse(`https://${authority.replaceAll(PLACEHOLDER, 'x')}`);
  return url !== null && !PROVIDER_PORTS.includes(url.port === '' ? HTTPS_PORT : Number(url.port));
}

function isAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  const parsed = URL.parse(origin)?.origin;
  // All schemes without hosts have the origin `null`.
  const isReal = parsed !== undefined && parsed !== 'null';
  return isReal && allowedOrigins.some((allowed) => URL.parse(allowed)?.origin === parsed);
}

interface Origin {
  readonly scheme: string;
  readonly authority: string;
  /** The part that decides where the request goes; without an authority, the part that could become one. */
  readonly front: string;
}

function originOf(url: string): Origin {
  const [front = '', scheme = '', authority = ''] = ORIGIN.exec(url) ?? url.split('/', 1);
  return { scheme: scheme.toLowerCase(), authority: authority.toLowerCase(), front };
}

function faultOf(url: string, allowedOrigins: readonly string[]): Fault | undefined {
  const origin = originOf(url);
  const { scheme, authority, front } = origin;
  if (INPUT.test(front)) return INPUT_IN_HOST;
  if (isAllowed(`${scheme}://${authority}`, allowedOrigins)) return undefined;
  if (WHOLE_SECRET.test(url)) return { code: 'manifest-url-not-https', detail: WHOLE_URL };
  if (scheme !== 'https') return notHttps(origin);
  if (isPrivate(authority)) return authority.includes('{{') ? SECRET_AS_HOST : privateHost(origin);
  return hasRefusedPort(authority) ? refusedPort(authority) : undefined;
}

/**
 * Checks the URLs of every provider and probe: `manifest-url-not-https`, `manifest-host-private`,
 * `manifest-port-refused`, `manifest-input-in-host` (security.md S18).
 * @param allowedOrigins `scheme://host[:port]` of `--egress-allow` and `--egress-stub`: exempt from all but the last code
 */
export function checkUrls(manifest: Manifest, allowedOrigins: readonly string[]): readonly Finding[] {
  return requestsOf(manifest).flatMap(({ pointer, request: { url } }): readonly Finding[] => {
    const fault = url === undefined ? undefined : faultOf(url, allowedOrigins);
    return fault === undefined ? [] : [{ ...fault, pointer: `${pointer}/url`, severity: 'error' }];
  });
}
