import { expect } from 'chai';
import { nextHop, type NextHop } from '../../../../adapters/egress/redirects.ts';

const FROM = 'https://api.example.com/a/b?x=1';
const ANSWER: NextHop = { kind: 'answer' };
const REFUSE: NextHop = { kind: 'refuse' };
const follow = (url: string): NextHop => ({ kind: 'follow', url });

interface Case {
  readonly status?: number;
  readonly location?: string | undefined;
  readonly method?: string;
  readonly hops?: number;
  readonly followRedirects?: number;
  readonly idempotent?: boolean;
  readonly from?: string;
}

const ROWS: readonly (readonly [why: string, given: Case, expected: NextHop])[] = [
  ['follows a path of the same origin', { location: '/c' }, follow('https://api.example.com/c')],
  ['follows a relative path', { location: 'c' }, follow('https://api.example.com/a/c')],
  [
    'follows a whole URL of the same origin',
    { location: 'https://api.example.com/c' },
    follow('https://api.example.com/c'),
  ],
  [
    'follows the default port written out',
    { location: 'https://API.example.com:443/c' },
    follow('https://api.example.com/c'),
  ],
  ['drops the fragment', { location: '/c#d' }, follow('https://api.example.com/c')],
  ['follows a 301 of a GET', { status: 301, location: '/c' }, follow('https://api.example.com/c')],
  ['follows a 303 of a HEAD', { status: 303, location: '/c', method: 'HEAD' }, follow('https://api.example.com/c')],
  ['takes a 3xx as the answer by default', { location: '/c', followRedirects: 0 }, ANSWER],
  ['takes a 3xx as the answer after the last hop', { location: '/c', hops: 3 }, ANSWER],
  ['takes a 304 as the answer', { status: 304, location: '/c' }, ANSWER],
  ['takes a 200 with a location as the answer', { status: 200, location: '/c' }, ANSWER],
  ['takes a 3xx without a location as the answer', { location: undefined }, ANSWER],
  ['does not repeat a POST', { status: 307, location: '/c', method: 'POST' }, ANSWER],
  ['does not repeat an idempotent POST after a 302', { location: '/c', method: 'POST', idempotent: true }, ANSWER],
  [
    'repeats an idempotent POST after a 307',
    { status: 307, location: '/c', method: 'POST', idempotent: true },
    follow('https://api.example.com/c'),
  ],
  [
    'repeats an idempotent PUT after a 308',
    { status: 308, location: '/c', method: 'PUT', idempotent: true },
    follow('https://api.example.com/c'),
  ],
  ['refuses another host', { location: 'https://evil.org/' }, REFUSE],
  ['refuses a host without a scheme', { location: '//evil.org/' }, REFUSE],
  ['refuses a host behind backslashes', { location: '\\\\evil.org/' }, REFUSE],
  ['refuses a subdomain', { location: 'https://x.api.example.com/' }, REFUSE],
  ['refuses another port', { location: 'https://api.example.com:8443/' }, REFUSE],
  ['refuses plain http', { location: 'http://api.example.com/' }, REFUSE],
  ['refuses a private address', { location: 'https://127.0.0.1/' }, REFUSE],
  ['refuses another scheme', { location: 'javascript:alert(1)' }, REFUSE],
  ['refuses what is no URL', { location: 'https://' }, REFUSE],
  ['refuses a hop of a plain origin', { from: 'http://127.0.0.1:9000/', location: '/c' }, REFUSE],
];

describe('nextHop', () => {
  for (const [why, given, expected] of ROWS) {
    it(why, () => {
      const { status = 302, location, method = 'GET', hops = 0, followRedirects = 3, idempotent = false } = given;
      const headers =
        location === undefined
          ? []
          : ([
              ['x', '/z'],
              ['location', location],
            ] as const);
      const asked = { url: new URL(given.from ?? FROM), method, hops, limits: { followRedirects, idempotent } };
      expect(nextHop({ status, headers }, asked)).to.deep.equal(expected);
    });
  }
});
