import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createPublicationViews } from '../../../../api-server/publications/publication-views.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { aListedOrb } from '../../../support/a-listed-orb.ts';
import { aPublication, sent } from '../../../support/kube-objects.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const ORB_ID = 'acme.echo@1.0.0';
const NAME = 'acme.echo-1.0.0';
const never = new AbortController().signal;

interface Started {
  readonly client: FakeKubeClient;
  readonly run: () => Promise<unknown>;
  readonly marked: readonly string[];
  readonly views: () => readonly KubeObject[];
}

function start(existing: readonly KubeObject[] = [], leads = (): void => undefined): Started {
  const client = createFakeKubeClient();
  const marked: string[] = [];
  for (const object of existing) client.put(KINDS.orbpublication, sent(object));
  const reconcile = createPublicationViews({
    client,
    ledger: {
      publicManifest: async () => '{"orb_id":"acme.echo@1.0.0"}',
      testReport: async () => ({
        sha256: '',
        report: '{"results":{}}',
        suites: '[{"name":"echo"}]',
        statement: '',
        logIndex: 8,
      }),
      markProjected: async (orbId) => void marked.push(orbId),
    },
    listings: { orb: () => aListedOrb(), lacksView: () => marked.length === 0 },
    store: { byIndex: () => existing },
    assertLeading: leads,
  });
  return {
    client,
    run: () => reconcile(ORB_ID, { signal: never }),
    marked,
    views: () => client.objects(KINDS.orbpublication),
  };
}

describe('the object of a version that was published over HTTP (trust.md §8)', () => {
  it('is made once, with manifest, report and suites, and is not made again when it is deleted', async () => {
    const { run, views, marked, client } = start();
    await run();
    const [view] = views();
    expect([view?.metadata.namespace, view?.metadata.name, view?.spec]).to.deep.equal([
      'acme',
      NAME,
      { manifest: { orb_id: ORB_ID }, test_results: { results: {} }, test_suites: [{ name: 'echo' }] },
    ]);
    client.remove(KINDS.orbpublication, { namespace: 'acme', name: NAME });
    await run();
    expect([views(), marked]).to.deep.equal([[], [ORB_ID]]);
  });

  it('is not made beside a publication of the version', async () => {
    const { run, views, marked, client } = start([aPublication('mine')]);
    await run();
    expect([views().length, marked]).to.deep.equal([1, [ORB_ID]]);
    expect(client.requests.filter(({ verb }) => verb === 'create')).to.deep.equal([]);
  });

  it('leaves an object of its name alone, which somebody else made', async () => {
    const { run, views, marked, client } = start();
    client.put(KINDS.orbpublication, sent(aPublication(NAME, { spec: { manifest: {} } })));
    await run();
    expect([views().map(({ spec }) => spec), marked]).to.deep.equal([[{ manifest: {} }], [ORB_ID]]);
  });

  it('is made after a failure', async () => {
    const { run, views, marked, client } = start();
    client.before = () => {
      throw kubeError(503, 'ServiceUnavailable');
    };
    const failed: unknown = await run().catch((error: unknown) => error);
    expect([failed instanceof Error, marked]).to.deep.equal([true, []]);
    client.before = () => undefined;
    await run();
    expect([views().length, marked]).to.deep.equal([1, [ORB_ID]]);
  });

  it('is made by the holder of the lease only', async () => {
    const { run, views } = start([], () => {
      throw new Error('not leading');
    });
    await run().catch(() => undefined);
    expect(views()).to.deep.equal([]);
  });
});
