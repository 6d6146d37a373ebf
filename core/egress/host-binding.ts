const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const BRACKETED = /^\[[0-9a-f:.]+\]$/;
/** Characters that a host name can't hold; `URL` would read some of them as a port, a path or an escape. */
const FOREIGN = /[\s/?#@\\%:[\]]/;

/** Lower-case A-labels without the trailing dot; null when `name` is not a host. */
function canonical(name: string): string | null {
  const lower = name.toLowerCase();
  const bare = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (LABELS.test(bare) || BRACKETED.test(bare)) return bare;
  if (bare === '' || FOREIGN.test(bare) || !URL.canParse(`https://${bare}`)) return null;
  const { hostname } = new URL(`https://${bare}`);
  return LABELS.test(hostname) ? hostname : null;
}

/** Whether a host is an IP address by the rule of WHATWG URLs: in brackets, or with a last label of digits. */
const isAddress = (host: string): boolean => host.startsWith('[') || /(?:^|\.)[0-9]+$/.test(host);

function matches(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return canonical(pattern) === host;
  const suffix = canonical(pattern.slice(2));
  return suffix !== null && !isAddress(host) && host.endsWith(`.${suffix}`);
}

/**
 * Whether a secret bound to `patterns` may be sent to `host` (security.md S1). Case, one trailing dot and U-labels make
 * no difference on either side. An invalid host or pattern never matches.
 * @param host without port, as `URL.hostname` gives it
 * @param patterns `allowedHosts`: an exact host, `*.suffix` (any depth below it, not the suffix itself, no address), or `*`
 */
export function hostAllowed(host: string, patterns: readonly string[]): boolean {
  const name = canonical(host);
  return name !== null && patterns.some((pattern) => matches(name, pattern));
}
