import { expect } from 'chai';
import type { Caller } from '../../../core/api-key/caller.ts';
import {
  fullVault,
  answersOk,
  hostOf,
  inWorld,
  ORB,
  secretOf,
  serves,
  status,
  type Vault,
  type World,
} from '../../conformance/world.ts';
import { ACME } from '../../support/a-runtime.ts';
import type { Script } from '../../support/egress.ts';

const tenant = (name: string): Caller => ({ ...ACME, tenants: [name] });
const runOf = (world: World, name: string): ReturnType<World['run']> =>
  world.run({ orbiset: `${name}.set`, caller: tenant(name) });

/** Refuses a key that is not its own. */
const refuses =
  (line: string, key: string, headers: readonly string[] = []): Script =>
  (socket, request, index) => {
    if (request.includes(key)) answersOk('a')(socket, request, index);
    else status(line, headers)(socket, request, index);
  };

const OTHER: Vault = {
  ...fullVault(['b']),
  A: { value: 'a-key-that-the-provider-does-not-take', hosts: [hostOf('a')] },
};

/** A secret that makes the host. */
const shopVault = (shop: string): Vault => ({
  A: { value: secretOf('a'), hosts: ['*.example.com'] },
  SHOP: { value: shop, hosts: ['*.example.com'] },
});

const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));

const REFUSALS: readonly (readonly [why: string, line: string, path: string, code: string | undefined])[] = [
  ['a wrong key', '401 Unauthorized', 'a client_error', 'provider-refused-credential'],
  ['an unpaid account', '402 Payment Required', 'a client_error', 'provider-refused-credential'],
  ['a key without the right', '403 Forbidden', 'a client_error', 'provider-refused-credential'],
  ['a used-up quota', '429 Too Many Requests', 'a rate_limited, b success', undefined],
];

describe('tenants of a shared Orb', function tenants() {
  this.timeout(120_000);

  for (const [why, line, path, code] of REFUSALS) {
    it(`feel nothing of ${why} of another one`, async () => {
      const places = { a: serves(refuses(line, secretOf('a'))), b: serves(answersOk('b')) };
      await inWorld({ places, namespace: 'orb-system' }, async (world) => {
        world.addOrbiset('set', 'rich', fullVault(['a', 'b']));
        world.addOrbiset('set', 'poor', OTHER);
        const refused = await runOf(world, 'poor');
        expect(await world.path(refused, 'poor')).to.equal(path);
        expect(refused.code).to.equal(code);
        for (let run = 0; run < 20; run += 1) {
          await runOf(world, 'poor');
          const fine = await runOf(world, 'rich');
          expect(await world.path(fine, 'rich')).to.equal('a success');
        }
        expect(world.runtime.runtime.failover.breakers('orb-system', ORB)).to.deep.equal({ a: 'closed', b: 'closed' });
        const counted = async (outcome: string): Promise<number> =>
          world.metric('orb_provider_requests_total', 'a', `outcome="${outcome}"`);
        expect(await Promise.all(['success', 'client_error', 'rate_limited', 'error'].map(counted))).to.deep.equal([
          20, 0, 0, 0,
        ]);
      });
    });

    it(`are kept away from the provider after ${why} for 30 s, or until a secret changes`, async () => {
      const places = { a: serves(refuses(line, secretOf('a'))), b: serves(answersOk('b')) };
      await inWorld({ places, namespace: 'orb-system' }, async (world) => {
        world.addOrbiset('set', 'poor', OTHER);
        const paths: string[] = [];
        const run = async (): Promise<void> => void paths.push(await world.path(await runOf(world, 'poor'), 'poor'));
        await run();
        await run();
        world.addOrbiset('set', 'poor', OTHER); // read again, the same values
        await run();
        world.addOrbiset('set', 'poor', fullVault(['a', 'b']));
        await run();
        world.addOrbiset('set', 'poor', OTHER);
        await run();
        world.skip(30_001);
        await run();
        expect(paths).to.deep.equal([path, 'b success', 'b success', 'a success', path, path]);
      });
    });
  }

  it('count in their own Orb: a refusal there opens the breaker', async () => {
    const places = { a: serves(status('429 Too Many Requests', ['retry-after: 0'])), b: serves(answersOk('b')) };
    await inWorld({ places }, async (world) => {
      for (let run = 0; run < 6; run += 1) await world.run();
      expect(world.runtime.runtime.failover.breakers('acme', ORB)['a']).to.equal('open');
      expect(await world.metric('orb_provider_requests_total', 'a', 'outcome="rate_limited"')).to.equal(5);
    });
  });

  it('are still told of a refused credential when there is no other provider', async () => {
    await inWorld({ places: { a: serves(status('401 Unauthorized')) }, namespace: 'orb-system' }, async (world) => {
      world.addOrbiset('set', 'poor', fullVault(['a']));
      for (let run = 0; run < 3; run += 1) {
        const answered = await runOf(world, 'poor');
        expect([answered.code, answered.body['provider_status']]).to.deep.equal(['provider-refused-credential', 401]);
      }
      expect(world.server('a').requests).to.have.lengthOf(3);
    });
  });

  it('are told when their quota is back when there is no other provider, and nothing is sent before', async () => {
    const a = serves(status('429 Too Many Requests', ['retry-after: 60']));
    await inWorld({ places: { a }, namespace: 'orb-system' }, async (world) => {
      world.addOrbiset('set', 'poor', fullVault(['a']));
      const first = await runOf(world, 'poor');
      const second = await runOf(world, 'poor');
      for (const answered of [first, second]) {
        expect([answered.status, answered.code]).to.deep.equal([502, 'provider-rate-limited']);
        expect(Number(answered.headers['retry-after'])).to.be.within(50, 60);
      }
      expect(await world.path(second, 'poor')).to.equal('');
      expect(world.server('a').requests).to.have.lengthOf(1);
    });
  });

  for (const [why, execution] of [
    ['of the run', {}],
    ['that follows from it', { attempt_timeout_ms: undefined }],
  ] as const) {
    it(`with a hasty deadline of their own do not make a shared Orb look slow: ${why}`, async () => {
      const places = { a: serves(() => undefined), b: serves(answersOk('b')) };
      await inWorld({ places, execution, namespace: 'orb-system' }, async (world) => {
        const { catalog } = world.runtime;
        world.addOrbiset('set', 'hasty', fullVault(['a']));
        const orbiset = catalog.orbiset('hasty', 'set');
        if (orbiset === undefined) throw new TypeError('no Orbiset');
        catalog.setOrbiset({ ...orbiset, limits: { timeoutMs: 20 } });
        for (let run = 0; run < 8; run += 1) expect((await runOf(world, 'hasty')).code).to.equal('provider-timeout');
        expect(world.runtime.runtime.failover.breakers('orb-system', ORB)['a']).to.equal('closed');
        expect(await world.metric('orb_provider_requests_total', 'a', 'outcome="timeout"')).to.equal(0);
      });
    });
  }

  it('whose secret makes a host that is not there do not open the breaker for the others', async () => {
    const url = 'https://{{orbiset.secrets.SHOP}}.example.com/run';
    const options = { places: { a: serves(answersOk('a')) }, executions: { a: { url } }, namespace: 'orb-system' };
    await inWorld({ ...options, resolve }, async (world) => {
      world.addOrbiset('set', 'poor', shopVault('misspelt-shop'));
      world.addOrbiset('set', 'rich', shopVault('a'));
      for (let run = 0; run < 8; run += 1) {
        expect(await world.path(await runOf(world, 'poor'), 'poor')).to.equal('a error');
      }
      expect(await world.path(await runOf(world, 'rich'), 'rich')).to.equal('a success');
      expect(await world.metric('orb_provider_transport_errors_total', 'a', 'kind="dns"')).to.equal(0);
    });
  });
});

describe('secrets over the hops of a run (security.md S1)', function secrets() {
  this.timeout(120_000);

  it('reach the provider that they are of, and no other', async () => {
    const places = {
      a: serves(status('503 Service Unavailable')),
      b: serves(status('503 Service Unavailable')),
      c: serves(answersOk('c')),
    };
    await inWorld({ places }, async (world) => {
      const answered = await world.run();
      expect(await world.path(answered)).to.equal('a error, b error, c success');
      const names = ['a', 'b', 'c'];
      const seen = names.map((name) =>
        names.filter((of) => world.server(name).requests.join('').includes(secretOf(of))),
      );
      expect(seen).to.deep.equal([['a'], ['b'], ['c']]);
    });
  });

  const ineligible: readonly (readonly [why: string, b: Vault])[] = [
    ['may not have its secret', { B: { value: secretOf('b'), hosts: ['elsewhere.example.com'] } }],
    ['has no secret', {}],
    ['has one that may not stand in a header', { B: { value: 'two\nlines', hosts: [hostOf('b')] } }],
  ];
  for (const [why, vault] of ineligible) {
    it(`skip a provider that ${why}: not a byte reaches it`, async () => {
      const places = {
        a: serves(status('503 Service Unavailable')),
        b: serves(answersOk('b')),
        c: serves(answersOk('c')),
      };
      await inWorld({ places }, async (world) => {
        world.addOrbiset('support', 'acme', { ...fullVault(['a', 'c']), ...vault });
        for (let run = 0; run < 8; run += 1) await world.run();
        expect(await world.path(await world.run())).to.equal('c success');
        expect([world.server('b').connections(), world.server('b').requests.length]).to.deep.equal([0, 0]);
        expect(await world.metric('orb_provider_requests_total', 'b', 'outcome="success"')).to.equal(0);
      });
    });
  }
});
