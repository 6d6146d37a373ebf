import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Store } from '../../../../adapters/kube/port.ts';
import { createStatusWriter } from '../../../../adapters/kube/status-writer.ts';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { PipelineResults } from '../../../../api-server/publications/pipeline-results.ts';
import { createPublicationReporter } from '../../../../api-server/publications/publication-reporter.ts';
import type { Published, PublishRequest } from '../../../../api-server/reputation/publish-request.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import type { ListedOrb } from '../../../../core/publication/listed-orb.ts';
import { withoutReports } from '../../../../core/publication/stored-publication.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Outcome } from '../../../../core/reconcile/outcome.ts';
import { CasesNotRun } from '../../../../core/errors/cases-not-run.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { aListedOrb } from '../../../support/a-listed-orb.ts';
import { aPublication, manifestOf, sent } from '../../../support/kube-objects.ts';
import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const KEY = 'acme/echo';
const ORB_ID = 'acme.echo@1.0.0';
const never = new AbortController().signal;
const REPORT: JsonObject = { valid: true, findings: [] };
const SPEC = { manifest: manifestOf(), test_results: { results: {} } };

const listed: Published = { kind: 'listed', isNew: true, orbId: ORB_ID, digest: '', logIndex: 7, report: REPORT };
const refused = (code: 'version-immutable' | 'namespace-unverified'): Published => ({
  kind: 'refused',
  code,
  stage: 'version',
  report: REPORT,
  findings: [],
  detail: 'No.',
});

type Org = ReturnType<PipelineOrgs>;
type PipelineOrgs = ConstructorParameters<typeof PipelineResults>[0]['reputation']['listings']['org'];

/** A publication, the pipeline and what is published, each changed by the test. */
class World {
  readonly client = createFakeKubeClient();
  readonly asked: PublishRequest[] = [];
  answer: () => Promise<Published> = async () => listed;
  orb: ListedOrb | undefined = aListedOrb();
  org: Org = undefined;
  #reconcile: (() => Promise<Outcome>) | undefined;

  constructor() {
    this.put(SPEC);
    this.restart();
  }

  readonly put = (spec: object, name = 'echo'): void => {
    this.client.put(KINDS.orbpublication, sent(aPublication(name, { spec })));
  };

  readonly stored = (name = 'echo'): KubeObject => {
    const found = this.client.objects(KINDS.orbpublication).find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new TypeError('no publication');
    return found;
  };

  /** Another process takes over. */
  readonly restart = (): void => {
    const { client } = this;
    const store: Pick<Store, 'get' | 'byIndex' | 'offer'> = {
      get: (key) => {
        const [object] = client.objects(KINDS.orbpublication).filter(({ metadata }) => `acme/${metadata.name}` === key);
        return object && withoutReports(object);
      },
      byIndex: () => client.objects(KINDS.orbpublication).map(withoutReports),
      offer: () => undefined,
    };
    const reputation = {
      listings: { org: () => this.org, orb: () => this.orb },
      publisher: {
        publish: (request: PublishRequest) => {
          this.asked.push(request);
          return this.answer();
        },
      },
      evaluated: async () => undefined,
      reader: { certificateOf: async () => undefined },
    };
    const reconcile = createPublicationReporter({
      results: new PipelineResults({ client, reputation }),
      reputation,
      catalog: { orb: () => undefined },
      store,
      writes: { note: () => undefined },
      writer: createStatusWriter({ client, assertLeading: () => undefined }),
      clock: { now: () => 0 },
      allowedOrigins: [],
    });
    this.#reconcile = () => reconcile(KEY, { signal: never });
  };

  readonly run = async (): Promise<Outcome['kind'] | undefined> => (await this.#reconcile?.())?.kind;
  readonly writes = (): number => this.client.requests.filter(({ verb }) => verb === 'apply').length;
  readonly published = (): string | undefined => conditionOf(this.stored(), 'Published')?.reason;
}

describe('the report on an applied publication (trust.md §8)', () => {
  it('takes the whole object through the pipeline, for its namespace, and writes once', async () => {
    const world = new World();
    await world.run();
    await world.run();
    const { manifest, test_results: testResults } = SPEC;
    expect(world.asked).to.deep.equal([{ tenant: 'acme', manifest, testResults, testSuites: [], dryRun: false }]);
    expect([world.writes(), world.published()]).to.deep.equal([1, 'Published']);
  });

  it('asks nothing and writes nothing in another process', async () => {
    const world = new World();
    await world.run();
    world.restart();
    await world.run();
    expect([world.asked.length, world.writes()]).to.deep.equal([1, 1]);
  });

  it('asks again when report or suites change, but not when spec.suspended does', async () => {
    const world = new World();
    await world.run();
    world.put({ ...SPEC, suspended: true });
    await world.run();
    expect(conditionOf(world.stored(), 'Published')?.observedGeneration).to.equal(2);
    expect(world.asked).to.have.lengthOf(1);
    world.put({ ...SPEC, test_results: { results: { tests: [] } } });
    await world.run();
    expect(world.asked).to.have.lengthOf(2);
  });

  it('writes when an evaluation changes what it shows, and not when it changes nothing', async () => {
    const world = new World();
    await world.run();
    world.orb = aListedOrb({ updatedAt: 1 });
    await world.run();
    expect(world.writes()).to.equal(1);
    world.orb = aListedOrb({ status: 'yanked' });
    await world.run();
    expect([world.writes(), statusOf(world.stored())['listing']]).to.deep.equal([2, 'yanked']);
    expect(world.asked).to.have.lengthOf(1);
  });

  it('keeps a refusal until the object changes', async () => {
    const world = new World();
    world.answer = async () => refused('version-immutable');
    await world.run();
    world.restart();
    await world.run();
    expect([world.asked.length, world.published()]).to.deep.equal([1, 'VersionImmutable']);
    expect(statusOf(world.stored())).to.not.have.property('certificationTier');
  });

  it('judges a refusal for the organisation again when the organisation changes, and in another process', async () => {
    const world = new World();
    world.answer = async () => refused('namespace-unverified');
    await world.run();
    await world.run();
    expect(world.asked).to.have.lengthOf(1);
    world.restart();
    await world.run();
    expect(world.asked).to.have.lengthOf(2);
    world.org = {
      org: 'acme',
      namespace: 'acme',
      proof: 'operator',
      state: 'verified',
      since: 0,
      json: '{}',
      change: 1,
    };
    world.answer = async () => listed;
    await world.run();
    expect([world.asked.length, world.published()]).to.deep.equal([3, 'Published']);
  });

  it('keeps no word about cases that the platform could not run: the next try publishes', async () => {
    const world = new World();
    world.answer = () => Promise.reject(new CasesNotRun('the service is stopping'));
    expect(await world.run().catch(String)).to.include('the cases were not run');
    expect([world.writes(), world.published()]).to.deep.equal([0, undefined]);
    world.answer = async () => listed;
    await world.run();
    expect([world.writes(), world.published()]).to.deep.equal([1, 'Published']);
  });

  it('says that the ledger is away, and tries again until it answers', async () => {
    const world = new World();
    world.answer = () => Promise.reject(new LedgerError('ledger-unavailable', 'away'));
    expect([await world.run(), world.published()]).to.deep.equal(['waiting', 'LedgerUnavailable']);
    world.answer = async () => listed;
    expect([await world.run(), world.published(), world.asked.length]).to.deep.equal(['done', 'Published', 2]);
  });

  it('publishes again what a ledger does not list', async () => {
    const world = new World();
    await world.run();
    world.orb = undefined;
    await world.run();
    expect(world.asked).to.have.lengthOf(2);
  });

  it('waits for the cache when a newer generation is stored', async () => {
    const world = new World();
    world.client.before = ({ verb }) => {
      if (verb !== 'get') return;
      world.client.before = () => undefined;
      world.put({ ...SPEC, suspended: true });
    };
    expect([await world.run(), world.asked.length, world.writes()]).to.deep.equal(['waiting', 0, 0]);
    expect([await world.run(), world.asked.length, world.writes()]).to.deep.equal(['done', 1, 1]);
  });

  it('takes its result back from a publication that lost its id, and leaves an invalid one alone', async () => {
    const world = new World();
    await world.run();
    world.put(SPEC, 'a-first');
    await world.run();
    expect([world.published(), world.asked.length]).to.deep.equal([undefined, 1]);
    world.client.remove(KINDS.orbpublication, { namespace: 'acme', name: 'a-first' });
    world.put({ manifest: 'none' });
    await world.run();
    expect([world.published(), world.asked.length]).to.deep.equal([undefined, 1]);
  });

  it('has nothing to do when the publication is gone', async () => {
    const world = new World();
    world.client.remove(KINDS.orbpublication, { namespace: 'acme', name: 'echo' });
    expect([await world.run(), world.asked.length]).to.deep.equal(['done', 0]);
  });
});
