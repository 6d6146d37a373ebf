import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

const isPlainAddress = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.search === '' && url.hash === '';

/** @throws Failure the text is no address that a key may be sent to */
export function parseServer(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isPlainAddress(url)) {
    throw usage(`${from} ${printable(text)}: it is no address such as https://orbs.example`);
  }
  if (url.username !== '' || url.password !== '') {
    throw usage(`${from}: the address holds a user name; keys come from a file or ORB_API_KEY`);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    const why = 'http is for this machine only, the key would travel readable; use https or a port-forward';
    throw usage(`${from} ${printable(text)}: ${why}`);
  }
  return new URL(url.pathname.endsWith('/') ? url : `${url.href}/`);
}

/** A key goes to the server that it is of, and to nobody else; `localhost` and 127.0.0.1 are the same. */
export const isSame = (one: URL, other: URL): boolean =>
  one.protocol === other.protocol &&
  one.port === other.port &&
  (one.hostname === other.hostname || (LOOPBACK.test(one.hostname) && LOOPBACK.test(other.hostname)));
