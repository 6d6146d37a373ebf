import { expect } from 'chai';
import { EgressFault } from '../../../../adapters/egress/faults.ts';
import {
  boundedResolve,
  guardedAddresses,
  configuredAddresses,
  type Resolve,
} from '../../../../adapters/egress/lookup.ts';
import { allowed } from '../../../../adapters/egress/ranges.ts';

const PUBLIC = { address: '8.8.8.8', family: 4 };
const OTHER = { address: '2606:4700::1111', family: 6 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof EgressFault ? error.failure.code : error),
  );

const ROWS: readonly (readonly [why: string, found: Awaited<ReturnType<Resolve>>, expected: string])[] = [
  ['takes public addresses', [PUBLIC, OTHER], 'resolved'],
  ['refuses a private address', [LOOPBACK], 'egress-denied-address'],
  ['refuses a private address behind a public one', [PUBLIC, LOOPBACK], 'egress-denied-address'],
  ['refuses a private address before a public one', [LOOPBACK, PUBLIC], 'egress-denied-address'],
  ['refuses a mapped loopback address', [{ address: '::ffff:127.0.0.1', family: 6 }], 'egress-denied-address'],
  ['refuses what is no address', [{ address: 'localhost', family: 4 }], 'egress-denied-address'],
  ['fails without an address', [], 'dns'],
];

describe('guardedAddresses', () => {
  for (const [why, found, expected] of ROWS) {
    it(why, async () => {
      expect(await codeOf(guardedAddresses('api.example.com', async () => found, allowed))).to.equal(expected);
    });
  }

  it('asks for the absolute name, so that no search list applies', async () => {
    const asked: string[] = [];
    const resolve: Resolve = async (host) => {
      asked.push(host);
      return [PUBLIC];
    };
    await guardedAddresses('api.example.com', resolve, allowed);
    await configuredAddresses('localhost', resolve);
    expect(asked).to.deep.equal(['api.example.com.', 'localhost']);
  });

  it('says dns and nothing else when the resolver fails', async () => {
    const error = new Error('getaddrinfo ENOTFOUND secret-host');
    expect(await codeOf(guardedAddresses('api.example.com', () => Promise.reject(error), allowed))).to.equal('dns');
  });
});

describe('boundedResolve', () => {
  it('has two lookups of a host in flight, and shares the newest', async () => {
    let started = 0;
    const waiting: (() => void)[] = [];
    const bounded = boundedResolve((host) => {
      started += 1;
      const found = host === 'a' && started === 1 ? [PUBLIC] : [OTHER];
      return new Promise((resolve) => {
        waiting.push(() => resolve(found));
      });
    });
    const all = [bounded('a'), bounded('a'), bounded('a'), bounded('b')];
    expect(started).to.equal(3);
    for (const finish of waiting) finish();
    expect(await Promise.all(all)).to.deep.equal([[PUBLIC], [OTHER], [OTHER], [OTHER]]);
    const again = bounded('a');
    expect(started).to.equal(4);
    waiting.at(-1)?.();
    expect(await again).to.deep.equal([OTHER]);
  });

  it('asks again after a failure', async () => {
    let started = 0;
    const bounded = boundedResolve(() => {
      started += 1;
      return started === 1 ? Promise.reject(new Error('away')) : Promise.resolve([PUBLIC]);
    });
    const failed = await bounded('a').catch(() => 'failed');
    expect([failed, await bounded('a')]).to.deep.equal(['failed', [PUBLIC]]);
  });
});
