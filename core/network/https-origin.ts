/**
 * Whether a text is an https origin as it is compared byte by byte: `https://orbs.example`, `https://orbs.example:8443`.
 * Not with a path, the port 443 or upper-case letters.
 */
export function isHttpsOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.origin === text;
}
