import { request } from 'node:http';
import { expect } from 'chai';
import type { createDialer } from '../../../../adapters/egress/dialer.ts';
import type { Dialer, DialResult } from '../../../../adapters/egress/port.ts';
import { selfTest } from '../../../../adapters/egress/self-test.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';

const GOOD = { env: {}, clock: systemClock };
const FAILED: DialResult = {
  kind: 'failed',
  failure: { kind: 'transport', code: 'reset' },
  sent: true,
  status: null,
  ms: 1,
  exception: false,
};

/** Connects wherever the URL says. */
const connectAnywhere: Dialer['dial'] = ({ url }) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/[[\]]/g, '');
    const call = request({
      host,
      port,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    call.on('error', () => resolve(FAILED)).end();
    call.on('response', (response) => {
      response.resume();
      resolve({ kind: 'answered', status: 200, headers: [], body: new Uint8Array(0), ms: 1, exception: false });
    });
  });
const unguarded: typeof createDialer = ({ exceptions }) => ({
  exceptions,
  dial: connectAnywhere,
  halt: async () => undefined,
  resume: () => undefined,
  destroy: async () => undefined,
});

describe('selfTest', () => {
  it('passes on this runtime, within 300 ms', async () => {
    // The least of five: neither a compiler's first look nor a machine that stands still is a part of all of them.
    let leastMs = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      expect(await selfTest(GOOD)).to.deep.equal({ ok: true });
      leastMs = Math.min(leastMs, performance.now() - started);
    }
    expect(leastMs).to.be.below(300);
  });

  it('reports a dialer without a guard, with the literal, the resolved and the redirected way in', async () => {
    const result = await selfTest({ ...GOOD, create: unguarded });
    const failures = result.ok ? [] : result.failures;
    expect(failures).to.include.members([
      'https 127.0.0.1 was not refused',
      'http [::ffff:127.0.0.1] was not refused',
      'https loopback.orbs.example was not refused',
      'https mixed.orbs.example was not refused',
      'a redirect was not refused',
    ]);
    expect(failures.at(-1)).to.match(/^\d+ connections reached a private address$/);
  });

  it('tries each way to write an address of this machine, names that lead to one, and a redirect', async () => {
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '[::]',
      'localhost',
      'loopback.orbs.example',
      'metadata.orbs.example',
      'mixed.orbs.example',
    ];
    const dialled: string[] = [];
    const create: typeof createDialer = (options) => ({
      ...unguarded(options),
      dial: async ({ url }) => {
        dialled.push(url.replace(/:\d+\/$/, ''));
        return FAILED;
      },
    });
    const result = await selfTest({ ...GOOD, create });
    expect(result.ok).to.equal(false);
    expect(dialled).to.deep.equal([
      ...hosts.map((host) => `https://${host}`),
      ...hosts.map((host) => `http://${host}`),
      'http://127.0.0.1',
    ]);
  });

  it('has names that lead to this machine, to the metadata of a cloud, and to a public address beside this machine', async () => {
    const found: unknown[] = [];
    const create: typeof createDialer = (options) => ({
      ...unguarded(options),
      dial: async ({ url }) => {
        const { hostname } = new URL(url);
        if (hostname.endsWith('.orbs.example')) found.push(...((await options.resolve?.(hostname)) ?? []));
        return { ...FAILED, failure: { kind: 'transport', code: 'dns' } };
      },
    });
    expect(await selfTest({ ...GOOD, create })).to.deep.equal({ ok: true });
    const addresses = ['127.0.0.1', '169.254.169.254', '93.184.215.14', '127.0.0.1'];
    expect(found).to.have.deep.members([...addresses, ...addresses].map((address) => ({ address, family: 4 })));
  });

  it('takes a name that is not found and an address that never answers for refused', async () => {
    const failures = [
      { kind: 'transport', code: 'dns' },
      { kind: 'timeout', code: 'connect-timeout' },
    ] as const;
    for (const failure of failures) {
      const create: typeof createDialer = (options) => ({
        ...unguarded(options),
        dial: async () => ({ ...FAILED, failure }),
      });
      expect(await selfTest({ ...GOOD, create }), failure.code).to.deep.equal({ ok: true });
    }
  });

  const FAULTS: readonly (readonly [why: string, changes: object, failures: readonly string[]])[] = [
    [
      'switched-off TLS checks',
      { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      ['NODE_TLS_REJECT_UNAUTHORIZED is set: unset it'],
    ],
    ['a proxy of the environment', { env: { NODE_USE_ENV_PROXY: '1' } }, ['NODE_USE_ENV_PROXY is set: unset it']],
    ['Bun', { versions: { node: '24.0.0', bun: '1.3.0' } }, ['runs on bun: the guard is proven on Node.js only']],
    ['Deno', { versions: { node: '24.0.0', deno: '2.5.0' } }, ['runs on deno: the guard is proven on Node.js only']],
    ['an undici below the floor', { undiciVersion: '8.10.1' }, ['undici 8.10.1 is older than 8.10.2']],
    ['an undici of an older line', { undiciVersion: '7.29.1' }, ['undici 7.29.1 is older than 8.10.2']],
  ];
  for (const [why, changes, failures] of FAULTS) {
    it(`reports ${why}`, async () => {
      expect(await selfTest({ ...GOOD, ...changes })).to.deep.equal({ ok: false, failures });
    });
  }

  it('takes variables that are empty, and newer versions', async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '', NODE_USE_ENV_PROXY: undefined };
    expect(await selfTest({ ...GOOD, env, undiciVersion: '9.0.0' })).to.deep.equal({ ok: true });
  });
});
