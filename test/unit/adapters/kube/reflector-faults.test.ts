import { expect } from 'chai';
import {
  lastWatch,
  refusal,
  settle,
  startReflector,
  watchingReflector,
  type RunningReflector,
} from '../../../support/kube/a-reflector.ts';
import { anObject, bookmarkLine, errorLine, watchLine } from '../../../support/kube/kube-objects.ts';
import { aPage, createScriptedApi, type ScriptedApi, type ScriptedWatch } from '../../../support/kube/scripted-api.ts';

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

/** Breaks the open watch, and refuses the one after it. */
function refuseNext(status: number, causes: readonly string[] = []) {
  return async (api: ScriptedApi, clock: RunningReflector['clock']): Promise<void> => {
    let times = 1;
    api.onWatch = () => {
      if ((times -= 1) === 0) throw refusal(status, undefined, causes);
    };
    lastWatch(api).end(refusal(0));
    await settle();
    await clock.advance(1000);
  };
}

describe('a reflector and what goes wrong', () => {
  afterEach(stopRunning);

  for (const [where, expire] of [
    ['in the stream', (api: ScriptedApi): void => lastWatch(api).send(errorLine(410))],
    ['on HTTP', refuseNext(410)],
    ['as a version that the server does not know yet', refuseNext(504, ['ResourceVersionTooLarge'])],
  ] as const) {
    it(`lists again within a second when its version has expired ${where}`, async () => {
      const { api, clock, reported, names, changes } = track(await watchingReflector());
      api.onList = () => aPage([anObject('b', 30)], 40);
      await expire(api, clock);
      await settle();
      expect(api.lists).to.have.length(1);
      await clock.advance(1000);
      await settle();
      expect(names()).to.deep.equal(['b']);
      expect(lastWatch(api).query.resourceVersion).to.equal('40');
      expect(changes.slice(1).map(({ key, after }) => [key, after !== undefined])).to.deep.equal([
        ['acme/b', true],
        ['acme/a', false],
      ]);
      expect(reported.slice(-2)).to.deep.equal(['restart Orb expired', 'list Orb expired']);
    });
  }

  it('does not storm a server that calls every version expired', async () => {
    const { api, clock } = track(await watchingReflector());
    api.onWatch = () => {
      throw refusal(410);
    };
    lastWatch(api).send(errorLine(410));
    for (let second = 0; second < 300; second += 1) {
      await clock.advance(1000);
      await settle();
    }
    expect(api.lists.length).to.be.within(10, 30);
  }).timeout(5000);

  const faults: readonly (readonly [why: string, break_: (watch: ScriptedWatch) => void])[] = [
    ['is reset', (watch) => watch.end(refusal(0))],
    ['is answered with 500 in the stream', (watch) => watch.send(errorLine(500))],
    ['is cut in a line', (watch) => (watch.send('{"type":"ADD'), watch.end(refusal(0)))],
    ['has a malformed line', (watch) => watch.send('{"type":\n')],
  ];
  for (const [why, break_] of faults) {
    it(`resumes from the last version after a back-off when a watch ${why}`, async () => {
      const { api, watch, clock, reflector, names } = track(await watchingReflector());
      watch().send(watchLine('ADDED', anObject('b', 20)));
      await settle();
      const broken = watch();
      break_(broken);
      await settle();
      expect([reflector.state(), broken.isClosed()]).to.deep.equal(['backoff', true]);
      await clock.advance(2000);
      await settle();
      expect([api.lists.length, api.watches.length, watch().query.resourceVersion]).to.deep.equal([1, 2, '20']);
      watch().send(watchLine('ADDED', anObject('c', 21)));
      await settle();
      expect(names()).to.deep.equal(['a', 'b', 'c']);
    });
  }

  it('lists again when the same place of the stream is malformed twice', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    for (let time = 0; time < 2; time += 1) {
      watch().send('nonsense\n');
      await settle();
      await clock.advance(3000);
      await settle();
    }
    expect(api.lists).to.have.length(2);
  });

  it('backs off up to 30 s from a server that refuses, and starts anew after a watch of 60 s', async () => {
    const { api, clock, watch } = track(await watchingReflector({ random: () => 0.999999 }));
    const started: number[] = [];
    let refuses = true;
    api.onWatch = () => {
      started.push(clock.monotonic());
      if (refuses) throw refusal(500);
    };
    watch().end(refusal(0));
    for (let second = 0; second < 200; second += 1) {
      await clock.advance(1000);
      await settle();
    }
    const gaps = started.slice(1).map((at, index) => Math.round((at - (started[index] ?? 0)) / 1000));
    expect(gaps.slice(0, 6)).to.deep.equal([1, 2, 4, 8, 16, 30]);
    refuses = false;
    await clock.advance(30_000);
    await settle();
    await clock.advance(60_000);
    watch().send(bookmarkLine(12));
    await settle();
    const open = api.watches.length;
    watch().end(refusal(0));
    await settle();
    await clock.advance(1000);
    await settle();
    expect(api.watches.length).to.equal(open + 1);
  });

  for (const verb of ['LIST', 'WATCH'] as const) {
    it(`waits as long as a ${verb} that was answered with 429 says, and up to a fifth more`, async () => {
      const api = createScriptedApi();
      let times = 1;
      const refuseOnce = (): void => {
        if ((times -= 1) === 0) throw refusal(429, 7000);
      };
      if (verb === 'WATCH') api.onWatch = refuseOnce;
      else api.onList = () => (refuseOnce(), aPage([], 1));
      const { clock, reflector } = track(await startReflector(api.client));
      const tries = (): number => (verb === 'LIST' ? api.lists : api.watches).length;
      expect([reflector.state(), reflector.failure()?.status]).to.deep.equal(['backoff', 429]);
      await clock.advance(7690);
      await settle();
      expect(tries()).to.equal(1);
      await clock.advance(20);
      await settle();
      expect([tries(), reflector.state(), reflector.failure()]).to.deep.equal([2, 'watching', undefined]);
    });
  }

  it('lists again after two early ends in a row without event or bookmark, not after one', async () => {
    const { api, watch, clock, reported } = track(await watchingReflector());
    watch().end();
    await settle();
    await clock.advance(1000);
    await settle();
    expect([api.lists.length, api.watches.length]).to.deep.equal([1, 2]);
    watch().end();
    await settle();
    await clock.advance(1000);
    await settle();
    expect(api.lists).to.have.length(2);
    expect(reported.slice(-3)).to.deep.equal(['restart Orb early-end', 'restart Orb early-end', 'list Orb early-end']);
  });

  it('does not list again after early ends with a bookmark between', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    for (let time = 0; time < 6; time += 1) {
      if (time % 2 === 1) watch().send(bookmarkLine(20 + time));
      watch().end();
      await settle();
      await clock.advance(1000);
      await settle();
    }
    expect([api.lists.length, api.watches.length]).to.deep.equal([1, 7]);
  });

  it('destroys a watch that was silent for 90 s and resumes; the second time it lists', async () => {
    const { api, watch, clock, reported } = track(await watchingReflector());
    const frozen = watch();
    await clock.advance(89_999);
    expect(frozen.isClosed()).to.equal(false);
    await clock.advance(1);
    await settle();
    expect([frozen.isClosed(), api.watches.length, api.lists.length]).to.deep.equal([true, 2, 1]);
    expect(watch().query.resourceVersion).to.equal('10');
    await clock.advance(90_000);
    await settle();
    await clock.advance(1000);
    await settle();
    expect(api.lists).to.have.length(2);
    expect(reported.filter((one) => one.startsWith('stall'))).to.have.length(2);
  });

  it('stays with a quiet watch that sends bookmarks', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    for (let minute = 0; minute < 6; minute += 1) {
      await clock.advance(60_000);
      watch().send(bookmarkLine(10));
      await settle();
    }
    expect(api.watches).to.have.length(1);
  });

  it('finds its way back from a version of the future, which is answered with silence', async () => {
    const { api, clock, reflector, reported } = track(await watchingReflector());
    lastWatch(api).send(watchLine('MODIFIED', anObject('a', 1000)));
    await settle();
    api.onList = () => aPage([anObject('a', 12)], 15);
    for (let time = 0; time < 3; time += 1) {
      await clock.advance(91_000);
      await settle();
    }
    expect(reflector.store.get('acme/a')?.metadata.resourceVersion).to.equal('12');
    expect([reflector.store.resourceVersion(), lastWatch(api).query.resourceVersion]).to.deep.equal(['15', '15']);
    expect(reported).to.include('rewind Orb');
    lastWatch(api).send(watchLine('MODIFIED', anObject('a', 16)));
    await settle();
    expect(reflector.store.get('acme/a')?.metadata.resourceVersion).to.equal('16');
  });
});
