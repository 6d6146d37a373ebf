import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset, secret, vaultReader } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const ECHO = 'acme.echo@1.0.0';
const MANY = 250;
const each = <T>(make: (number: number) => T): readonly T[] =>
  Array.from({ length: MANY }, (_, number) => make(number));

describe('the vaults of a tenant with very many Secrets (security.md §6.1)', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let big: TestNamespace;
  let small: TestNamespace;
  const bigOwner = apiKeySecret(['g1-big']);
  const smallOwner = apiKeySecret(['g1-small']);
  const statusOf = async (key: string, set: string): Promise<number> => (await api.execute(key, set, ECHO)).status;
  const isUsable = async (key: string, set: string, ms: number): Promise<boolean> =>
    (await waitFor(async () => ((await statusOf(key, set)) === 200 ? true : undefined), ms)) === true;
  /** All vaults of the big tenant are whole. */
  const areWhole = async (): Promise<true | undefined> => {
    const sets = await big.list('orbiset');
    const whole = sets.filter((object) => JSON.stringify(object.status ?? {}).includes('VaultComplete'));
    return whole.length === MANY ? true : undefined;
  };

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    [big, small] = [await testNamespace(plane, 'g1-big'), await testNamespace(plane, 'g1-small')];
    for (const { document } of [bigOwner, smallOwner])
      await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(document));
    const echo = orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok`, secret: 'TOKEN' });
    for (const namespace of [big, small]) await namespace.apply(echo, vaultReader());
    await small.apply(secret('mail', { TOKEN: 'value-of-the-small-tenant' }), orbiset('support', ['mail']));
    await big.apply(...each((number) => secret(`s${number}`, { TOKEN: `value-of-secret-${number}` })));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    const names = [bigOwner.name, smallOwner.name];
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', ...names, '--ignore-not-found']);
    await Promise.all([big.remove(), small.remove()]);
    await provider.close();
    await api.stop();
  });

  it('are whole within 10 s, with few LISTs of their namespace, while no run of another tenant is refused', async () => {
    expect(await isUsable(smallOwner.key, 'support', 5000)).to.equal(true);
    const refused: number[] = [];
    const stop = new AbortController();
    const load = (async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const status = await statusOf(smallOwner.key, 'support');
        if (status !== 200) refused.push(status);
        await delay(20);
      }
    })();
    await big.apply(...each((number) => orbiset(`o${number}`, [`s${number}`])));
    const whole = await waitFor(areWhole, 10_000);
    stop.abort();
    await load;
    expect([whole, refused]).to.deep.equal([true, []]);
    const lists = api.proxy.journal.requests.filter(
      ({ verb, resource, namespace, fieldSelector }) =>
        verb === 'list' && resource === 'secrets' && namespace === 'g1-big' && fieldSelector === undefined,
    );
    // Six pages each; one a second.
    expect(lists.length).to.be.within(1, 100);
    expect(await isUsable(bigOwner.key, `o${MANY - 1}`, 1000)).to.equal(true);
  });

  it('use a rotated value within 5 s', async () => {
    await big.apply(secret('s249', { TOKEN: 'value-that-was-rotated' }));
    const rotated = await waitFor(async () => {
      await api.execute(bigOwner.key, 'o249', ECHO);
      return provider.seen.at(-1)?.headers.authorization === 'Bearer value-that-was-rotated' ? true : undefined;
    }, 5000);
    expect(rotated).to.equal(true);
  });

  it('are all there when the API is ready again after a restart, within 10 s', async () => {
    const began = performance.now();
    api = await api.restart();
    expect(performance.now() - began).to.be.below(10_000);
    for (const number of [0, 100, 199, 200, MANY - 1])
      expect(await statusOf(bigOwner.key, `o${number}`), `o${number}`).to.equal(200);
    expect(await statusOf(smallOwner.key, 'support')).to.equal(200);
  });

  it('are closed when the RoleBinding was taken away for 10 s, and open again with it', async () => {
    await big.kubectl('delete', 'rolebinding', 'orb-vault-reader');
    api.proxy.endWatches(); // the next one begins now instead of within ten minutes
    expect(await statusOf(bigOwner.key, 'o7')).to.equal(200);
    const began = performance.now();
    const closed = await waitFor(async () => ((await statusOf(bigOwner.key, 'o7')) === 409 ? true : undefined), 40_000);
    expect([closed, performance.now() - began > 9000]).to.deep.equal([true, true]);
    expect(await statusOf(smallOwner.key, 'support')).to.equal(200);
    await big.apply(vaultReader());
    expect(await isUsable(bigOwner.key, 'o7', 10_000)).to.equal(true);
  });
});
