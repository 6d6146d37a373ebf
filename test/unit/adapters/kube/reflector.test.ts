import { expect } from 'chai';
import {
  lastWatch,
  refusal,
  settle,
  startReflector,
  watchingReflector,
  type RunningReflector,
} from '../../../support/kube/a-reflector.ts';
import { anObject, bookmarkLine, watchLine } from '../../../support/kube/kube-objects.ts';
import { aPage, createScriptedApi, type ScriptedApi } from '../../../support/kube/scripted-api.ts';

const nobody = (): void => undefined;

let running: RunningReflector | undefined;

/** Stopped after the test. */
function track<T extends RunningReflector>(started: T): T {
  running = started;
  return started;
}

async function stopRunning(): Promise<void> {
  await running?.stop();
  running = undefined;
}

describe('createReflector', () => {
  afterEach(stopRunning);

  it('lists, is synced, then watches from the version of the LIST with bookmarks', async () => {
    const { api, reflector, names } = track(await watchingReflector());
    await reflector.synced;
    expect(names()).to.deep.equal(['a']);
    expect(api.lists).to.deep.equal([{ limit: 100 }]);
    expect(api.watches.map(({ query }) => query)).to.deep.equal([{ resourceVersion: '10', timeoutSeconds: 450 }]);
    expect([reflector.hasSynced(), reflector.state()]).to.deep.equal([true, 'watching']);
  });

  it('asks for its selection only, in LISTs and WATCHes', async () => {
    const selection = { namespace: 'acme', fieldSelector: 'metadata.name=mail' };
    const { api } = track(await watchingReflector({ selection }));
    expect(api.lists).to.deep.equal([{ ...selection, limit: 100 }]);
    expect(api.watches[0]?.query).to.include(selection);
  });

  it('lets one watch live for 300 to 600 s', async () => {
    const lives: number[] = [];
    for (const chance of [0, 0.999999]) {
      const api = createScriptedApi();
      const { stop } = await startReflector(api.client, { random: () => chance });
      lives.push(lastWatch(api).query.timeoutSeconds);
      await stop();
    }
    expect(lives).to.deep.equal([300, 600]);
  });

  it('is not synced before the last page, and then shows all pages at once', async () => {
    const api = createScriptedApi();
    let answer = nobody;
    api.onList = async ({ continue: token }) => {
      if (token === undefined) return { ...aPage([anObject('a', 1)], 10), continue: 'next' };
      await new Promise<void>((resolve) => (answer = resolve));
      return aPage([anObject('b', 2)], 99);
    };
    const { reflector, names } = track(await startReflector(api.client));
    expect([reflector.hasSynced(), names(), reflector.state()]).to.deep.equal([false, [], 'listing']);
    answer();
    await settle();
    expect([reflector.hasSynced(), names()]).to.deep.equal([true, ['a', 'b']]);
    expect(lastWatch(api).query.resourceVersion).to.equal('10');
  });

  it('starts a LIST whose page has expired again, once, without a limit', async () => {
    const api = createScriptedApi();
    api.onList = ({ limit, continue: token }) => {
      if (token !== undefined) throw refusal(410);
      return limit === undefined ? aPage([anObject('a', 1)], 20) : { ...aPage([], 10), continue: 'next' };
    };
    const { names } = track(await startReflector(api.client));
    expect(api.lists).to.deep.equal([{ limit: 100 }, { limit: 100, continue: 'next' }, {}]);
    expect([names(), lastWatch(api).query.resourceVersion]).to.deep.equal([['a'], '20']);
  });

  it('takes 10 000 objects in pages of 100 of our own kinds', async () => {
    const api = createScriptedApi();
    api.onList = ({ continue: token = '0' }) => {
      const from = Number(token);
      const items = Array.from({ length: 100 }, (_, index) => anObject(`o${from + index}`, from + index + 1));
      return { ...aPage(items, 10_000), ...(from < 9900 ? { continue: String(from + 100) } : {}) };
    };
    const { reflector, changes } = track(await startReflector(api.client));
    expect([api.lists.length, reflector.store.list().length, changes.length]).to.deep.equal([100, 10_000, 10_000]);
  });

  it('takes events into the store and reports them', async () => {
    const { watch, changes, names, reflector } = track(await watchingReflector());
    watch().send(watchLine('ADDED', anObject('b', 11)), watchLine('MODIFIED', anObject('a', 12)));
    watch().send(watchLine('DELETED', anObject('b', 13)));
    await settle();
    expect(names()).to.deep.equal(['a']);
    expect(changes.map(({ key, initial, after }) => [key, initial, after?.metadata.resourceVersion])).to.deep.equal([
      ['acme/a', true, '10'],
      ['acme/b', false, '11'],
      ['acme/a', false, '12'],
      ['acme/b', false, undefined],
    ]);
    expect(reflector.store.resourceVersion()).to.equal('13');
  });

  it('takes duplicate and reordered events for what they are', async () => {
    const { watch, reflector, changes } = track(await watchingReflector());
    const [one, two] = [watchLine('MODIFIED', anObject('a', 11)), watchLine('MODIFIED', anObject('a', 12))];
    watch().send(two, one, two, one);
    await settle();
    expect(reflector.store.get('acme/a')?.metadata.resourceVersion).to.equal('12');
    expect(changes).to.have.length(2);
  });

  it('advances its version by a bookmark, and does nothing else', async () => {
    const { watch, reflector, changes, clock } = track(await watchingReflector());
    await clock.advance(70_000);
    watch().send(bookmarkLine(50));
    await settle();
    expect([reflector.store.resourceVersion(), changes.length]).to.deep.equal(['50', 1]);
    expect(reflector.lastContactMs()).to.equal(70_000);
  });

  it('watches again at once from the last version when a watch ends at its time', async () => {
    const { api, watch, clock, reported } = track(await watchingReflector());
    for (let minute = 0; minute < 8; minute += 1) {
      await clock.advance(57_000);
      watch().send(bookmarkLine(50 + minute));
      await settle();
    }
    watch().end();
    await settle();
    expect([api.lists.length, api.watches.length]).to.deep.equal([1, 2]);
    expect(watch().query.resourceVersion).to.equal('57');
    expect(reported).to.deep.equal(['list Orb start', 'restart Orb ended']);
  });

  it('opens at most one watch a second', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    watch().send(bookmarkLine(11));
    watch().end();
    await settle();
    await clock.advance(999);
    expect(api.watches).to.have.length(1);
    await clock.advance(1);
    await settle();
    expect(api.watches).to.have.length(2);
  });

  it('does not take the answer to a write during a LIST for a rewound history', async () => {
    const api = createScriptedApi();
    let answer = nobody;
    api.onList = async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return aPage([anObject('a', 10)], 10);
    };
    const { reflector, reported } = track(await startReflector(api.client));
    reflector.store.offer(anObject('a', 12));
    answer();
    await settle();
    expect(reflector.store.get('acme/a')?.metadata.resourceVersion).to.equal('12');
    expect(reported).to.deep.equal(['list Orb start']);
  });

  it('reports every object each 10 minutes, from the store', async () => {
    const { api, watch, clock, changes } = track(await watchingReflector());
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.advance(60_000);
      watch().send(bookmarkLine(10 + minute));
      await settle();
    }
    expect(changes.map(({ key, initial }) => [key, initial])).to.deep.equal([
      ['acme/a', true],
      ['acme/a', true],
    ]);
    expect(api.lists).to.have.length(1);
  });

  it('outlives handlers and index functions that throw', async () => {
    const { watch, names, reflector } = track(
      await watchingReflector({
        onChange: () => {
          throw new Error('handler');
        },
        indexes: {
          bad: () => {
            throw new Error('index');
          },
        },
      }),
    );
    watch().send(watchLine('ADDED', anObject('b', 11)));
    await settle();
    expect([names(), reflector.state(), reflector.store.byIndex('bad', 'x')]).to.deep.equal([
      ['a', 'b'],
      'watching',
      [],
    ]);
  });

  it('outlives a bug of the client, and says so', async () => {
    const api = createScriptedApi();
    let times = 0;
    api.onList = () => {
      times += 1;
      if (times === 1) throw new TypeError('bug');
      return aPage([anObject('a', 1)], 1);
    };
    const { clock, names, lines } = track(await startReflector(api.client));
    await clock.advance(5000);
    await settle();
    expect(names()).to.deep.equal(['a']);
    expect(lines.map(({ level }) => level)).to.deep.equal(['error']);
  });

  describe('stopped', () => {
    const states: readonly (readonly [state: string, prepare: (api: ScriptedApi) => void])[] = [
      ['listing', (api) => (api.onList = () => new Promise(() => undefined))],
      ['watching', () => undefined],
      ['watching', (api) => (api.onWatch = () => new Promise(() => undefined))],
      [
        'backoff',
        (api) =>
          (api.onList = () => {
            throw refusal(500);
          }),
      ],
    ];
    for (const [index, [state, prepare]] of states.entries()) {
      it(`while ${state} (${index + 1}) ends at once and asks for nothing more`, async () => {
        const api = createScriptedApi();
        prepare(api);
        const one = track(await startReflector(api.client));
        expect(one.reflector.state()).to.equal(state);
        const asked = [api.lists.length, api.watches.length];
        await one.stop();
        await one.clock.advance(1_000_000);
        expect(one.reflector.state()).to.equal('stopped');
        expect([api.lists.length, api.watches.length]).to.deep.equal(asked);
      });
    }

    it('lets go of its watch', async () => {
      const { watch, stop } = track(await watchingReflector());
      const open = watch();
      await stop();
      await settle();
      expect(open.isClosed()).to.equal(true);
    });
  });
});
