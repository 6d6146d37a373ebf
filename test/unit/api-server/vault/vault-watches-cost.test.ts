import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Change, KubeClient, Reflector, Selection } from '../../../../adapters/kube/port.ts';
import { sealed } from '../../../../api-server/vault/secret-values.ts';
import { VaultWatches } from '../../../../api-server/vault/vault-watches.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { settle } from '../../../support/kube/a-reflector.ts';
import { createFakeKubeClient, kubeError } from '../../../support/kube/fake-kube-client.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';

/** A reflector that the test answers for, with what was asked of it. */
interface Started {
  readonly selection: Selection;
  readonly answer: () => void;
  readonly tell: (change: Change) => void;
  readonly signal: () => AbortSignal | undefined;
}

interface Counting {
  readonly watches: VaultWatches;
  readonly clock: FakeClock;
  readonly started: readonly Started[];
  readonly running: () => readonly Started[];
  /** Orbisets that were told of, one by one. */
  readonly reported: string[];
  /** Looks into stores and at whether they are filled: what every event pays. */
  looks: number;
  nudges: number;
}

function start({ answers = true, forbidden = false, limit = 200, pageMs = 0 } = {}): Counting {
  const clock = createFakeClock(0);
  const client = createFakeKubeClient();
  client.before = () => {
    if (forbidden) throw kubeError(403, 'Forbidden');
  };
  const started: Started[] = [];
  const reported: string[] = [];
  const listPages = async (
    about: { readonly client: Pick<KubeClient, 'list'>; readonly selection: Selection },
    signal: AbortSignal,
  ): Promise<void> => {
    for (const token of [{}, { continue: '1' }, { continue: '2' }]) {
      await clock.sleep(pageMs, signal);
      await about.client.list(KINDS.secret, { ...about.selection, ...token }, signal);
    }
  };
  const reflect = (about: {
    readonly client: Pick<KubeClient, 'list' | 'watch'>;
    readonly selection: Selection;
    readonly onChange: (change: Change) => void;
  }): Reflector => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasSynced = false;
    let signal: AbortSignal | undefined;
    const answer = (): void => {
      hasSynced = true;
      resolve();
    };
    started.push({ selection: about.selection, answer, tell: about.onChange, signal: () => signal });
    return {
      store: {
        get: () => {
          counting.looks += 1;
          return undefined;
        },
        list: () => [],
        byIndex: () => [],
        resourceVersion: () => undefined,
        waitFor: () => Promise.resolve(),
        offer: () => undefined,
      },
      hasSynced: () => {
        counting.looks += 1;
        return hasSynced;
      },
      synced: promise,
      run: async (running) => {
        signal = running;
        queueMicrotask(() => void (answers && answer()));
        if (forbidden) await about.client.list(KINDS.secret, about.selection, running).catch(() => undefined);
        if (pageMs > 0) await listPages(about, running).catch(() => undefined);
        await new Promise((end) => running.addEventListener('abort', end, { once: true }));
      },
      state: () => 'watching',
      lastContactMs: () => 0,
      nudge: () => void (counting.nudges += 1),
      failure: () => undefined,
    };
  };
  const watches = new VaultWatches({
    client,
    logger: recordLog().logger,
    clock,
    mayWatchNamespaces: true,
    limit,
    reflect,
    onChange: (orbisets) => void reported.push(...orbisets),
  });
  const running = (): readonly Started[] => started.filter((each) => each.signal()?.aborted === false);
  const counting: Counting = { watches, clock, started, running, reported, looks: 0, nudges: 0 };
  return counting;
}

const isWide = ({ selection }: Started): boolean => selection.fieldSelector === undefined;

/** One Orbiset with one Secret after the other, a few a turn of the event loop, as the workers of a feed bring them. */
async function bindOneByOne({ watches, clock }: Counting, spaces: number, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    const namespace = `n${each % spaces}`;
    watches.bind(`${namespace}/o${each}`, namespace, [`s${each}`]);
    if (each % 8 === 7) {
      await settle();
      await clock.advance(25);
    }
  }
  await settle();
}

describe('what the vaults of one tenant cost all others (security.md §6.1)', () => {
  it('lists a namespace at most once a second, however many Orbisets bind one Secret more each', async () => {
    const counting = start();
    const { clock, started, running, watches } = counting;
    await bindOneByOne(counting, 1, 400);
    await clock.advance(2000);
    await settle();
    // 200 more at 8 in 25 ms: less than a second.
    expect(started.filter(isWide).length).to.be.within(1, 3);
    expect(started.filter((each) => !isWide(each)).length).to.be.at.most(200);
    expect([running().length, running().every(isWide), watches.isSettled]).to.deep.equal([1, true, true]);
    for (let each = 0; each < 400; each += 1)
      expect(watches.read('n0', `s${each}`).kind, `s${each}`).to.equal('not-found');
    watches.stop();
  });

  it('does work for 1 000 namespaces that grows with their number, not with its square', async () => {
    const few = start();
    await bindOneByOne(few, 250, 250);
    const many = start();
    await bindOneByOne(many, 1000, 1000);
    expect(many.running().length).to.equal(1000);
    expect(many.running().filter((each) => !isWide(each)).length).to.equal(200);
    expect(many.looks / few.looks).to.be.below(6);
    few.watches.stop();
    many.watches.stop();
  });

  it('looks at 2 000 Secrets of one namespace a few times a LIST, not once for each that is bound', async () => {
    const counting = start();
    await bindOneByOne(counting, 1, 2000);
    const lists = counting.started.filter(isWide).length;
    expect(lists).to.be.within(1, 9);
    expect(counting.looks).to.be.below(2000 * lists * 5);
    counting.watches.stop();
  });

  it('tells an Orbiset of a Secret that it binds, and of no other', async () => {
    const counting = start({ limit: 2 });
    const { watches, clock, started, reported } = counting;
    await bindOneByOne(counting, 1, 50);
    await clock.advance(2000);
    await settle();
    reported.length = 0;
    const after = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's7', namespace: 'n0' }, values: {} };
    started.at(-1)?.tell({ key: 'n0/s7', before: undefined, after: sealed(after), initial: false });
    await settle();
    expect(reported).to.deep.equal(['n0/o7']);
    watches.stop();
  });

  it('does not report Secrets that another watch of their namespace reads as the one before it did', async () => {
    const counting = start({ limit: 2 });
    const { watches, clock, reported } = counting;
    await bindOneByOne(counting, 1, 50);
    await clock.advance(2000);
    await settle();
    reported.length = 0;
    watches.bind('n0/more', 'n0', ['more']);
    await settle();
    await clock.advance(1000);
    await settle();
    expect([reported, watches.read('n0', 'more').kind]).to.deep.equal([['n0/more'], 'not-found']);
    watches.stop();
  });

  it('waits longer between LISTs of a namespace that takes long to list', async () => {
    const counting = start({ limit: 1, answers: false, pageMs: 1000 });
    const { watches, clock, started } = counting;
    watches.bind('big/one', 'big', ['a', 'b']);
    await settle();
    for (let page = 0; page < 3; page += 1) await clock.advance(1000);
    started[0]?.answer();
    await settle();
    watches.bind('big/two', 'big', ['c']);
    await settle();
    // Two seconds from the first page to the last one.
    await clock.advance(7999);
    expect(started.length).to.equal(1);
    await clock.advance(1);
    expect(started.length).to.equal(2);
    watches.stop();
  });

  it('gives up single watches without an answer when their namespace is watched as a whole', async () => {
    const counting = start({ limit: 2, answers: false });
    const { watches, running } = counting;
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    watches.bind('acme/two', 'acme', ['c']);
    await settle();
    expect(running().map(isWide)).to.deep.equal([true]);
    watches.stop();
  });

  it('leaves single watches of other namespaces alone when one goes above the limit', async () => {
    const counting = start({ limit: 10 });
    const { watches, started, running } = counting;
    watches.bind('small/one', 'small', ['a', 'b']);
    await settle();
    await bindOneByOne(counting, 1, 50);
    expect(running().filter(({ selection }) => selection.namespace === 'small')).to.deep.equal(started.slice(0, 2));
    watches.stop();
  });

  it('goes back to single watches well below the limit, and reads on meanwhile', async () => {
    const counting = start({ limit: 8 });
    const { watches, running } = counting;
    await bindOneByOne(counting, 1, 9);
    await settle();
    expect(running().map(isWide)).to.deep.equal([true]);
    watches.bind('n0/o0', 'n0', []);
    watches.bind('n0/o1', 'n0', []);
    await settle();
    expect(running().map(isWide)).to.deep.equal([true]);
    watches.bind('n0/o2', 'n0', []);
    expect(watches.read('n0', 's8').kind).to.equal('not-found');
    await settle();
    expect(running().map(({ selection }) => selection.fieldSelector)).to.deep.equal(
      [3, 4, 5, 6, 7, 8].map((each) => `metadata.name=s${each}`),
    );
    expect(watches.read('n0', 's8').kind).to.equal('not-found');
    watches.stop();
  });

  it('asks again at most once a second for what was forbidden, however often it is nudged', async () => {
    const counting = start({ answers: false, forbidden: true });
    const { watches, clock } = counting;
    watches.bind('acme/one', 'acme', ['a']);
    await settle();
    for (let each = 0; each < 100; each += 1) watches.nudge('acme');
    expect(counting.nudges).to.equal(1);
    await clock.advance(999);
    expect(counting.nudges).to.equal(1);
    await clock.advance(1);
    expect(counting.nudges).to.equal(2);
    watches.stop();
  });

  it('tells an Orbiset that comes to a namespace that may not be listed that its Secrets are forbidden', async () => {
    const counting = start({ answers: false, forbidden: true, limit: 1 });
    const { watches, reported } = counting;
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    reported.length = 0;
    watches.bind('acme/two', 'acme', ['c']);
    expect(watches.read('acme', 'c').kind).to.equal('unread');
    await settle();
    expect([reported, watches.read('acme', 'c').kind, counting.started.length]).to.deep.equal([
      ['acme/two'],
      'forbidden',
      1,
    ]);
    watches.stop();
  });
});
