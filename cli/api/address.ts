import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';
import { isLoopback } from '../../core/network/loopback.ts';

const isPlainAddress = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.search === '' && url.hash === '';

/** @throws Failure a key may not be sent to this address, or the text is not an address */
export function parseServer(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isPlainAddress(url)) {
    throw usage(`${from} ${printable(text)}: it is no address such as https://orbs.example`);
  }
  if (url.username !== '' || url.password !== '') {
    throw usage(`${from}: the address holds a user name; keys come from a file or ORB_API_KEY`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    const why = 'http is only for this machine, because the key would be sent unencrypted; use https or a port-forward';
    throw usage(`${from} ${printable(text)}: ${why}`);
  }
  return new URL(url.pathname.endsWith('/') ? url : `${url.href}/`);
}

/** A key is sent only to the server that it belongs to; `localhost` and 127.0.0.1 are the same. */
export const isSameServer = (one: URL, other: URL): boolean =>
  one.protocol === other.protocol &&
  one.port === other.port &&
  (one.hostname === other.hostname || (isLoopback(one.hostname) && isLoopback(other.hostname)));
