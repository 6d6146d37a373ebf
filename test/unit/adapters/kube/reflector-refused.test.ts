import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import {
  lastWatch,
  refusal,
  settle,
  startReflector,
  watchingReflector,
  type RunningReflector,
} from '../../../support/kube/a-reflector.ts';
import { aPage, createScriptedApi, type ScriptedApi } from '../../../support/kube/scripted-api.ts';

const nobody = (): void => undefined;

let running: RunningReflector | undefined;

/** Stopped after the test. */
function track<T extends RunningReflector>(started: T): T {
  running = started;
  return started;
}

const forbidden = async (): Promise<{ api: ScriptedApi; one: RunningReflector }> => {
  const api = createScriptedApi();
  api.onList = () => {
    throw refusal(403);
  };
  return { api, one: track(await startReflector(api.client, { kind: KINDS.secret, random: () => 0.999999 })) };
};

const refuse403 = (): never => {
  throw refusal(403);
};

describe('a reflector that is refused', () => {
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  it('asks every 30 s for a kind that is not installed, and says so once', async () => {
    const api = createScriptedApi();
    api.onList = () => {
      throw refusal(404);
    };
    const { clock, reflector, lines } = track(await startReflector(api.client));
    for (let half = 1; half <= 4; half += 1) {
      expect(api.lists).to.have.length(half);
      await clock.advance(29_999);
      await settle();
      expect(api.lists).to.have.length(half);
      await clock.advance(1);
      await settle();
    }
    expect([reflector.hasSynced(), reflector.failure()?.status]).to.deep.equal([false, 404]);
    const warned = lines.filter(({ level }) => level === 'warn');
    expect(warned).to.have.length(1);
    expect(warned[0]?.fields['next']).to.match(
      /^The definition \S+\.orbs\.dev is missing: apply the resource definitions/,
    );
  });

  it('asks at least every 2 s for 2 minutes for a kind that is not allowed, then every 30 s', async () => {
    const api = createScriptedApi();
    api.onList = refuse403;
    const { clock } = track(await startReflector(api.client, { random: () => 0.999999 }));
    let longest = 0;
    let since = 0;
    for (let second = 1; second <= 118; second += 1) {
      const before = api.lists.length;
      await clock.advance(1000);
      await settle();
      since = api.lists.length > before ? 0 : since + 1;
      longest = Math.max(longest, since);
    }
    expect(longest).to.be.at.most(2);
    await clock.advance(10_000);
    await settle();
    const before = api.lists.length;
    await clock.advance(60_000);
    await settle();
    expect(api.lists.length - before).to.be.at.most(2);
  });

  it('lists again within 5 s when a kind that it had is refused: a server that starts refuses everybody', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    const { onList } = api;
    api.onWatch = refuse403;
    api.onList = refuse403;
    watch().end(refusal(0));
    await settle();
    await clock.advance(20_000);
    await settle();
    const refused = api.lists.length;
    api.onWatch = () => undefined;
    api.onList = onList;
    await clock.advance(5000);
    await settle();
    expect([api.lists.length > refused, lastWatch(api).query.resourceVersion]).to.deep.equal([true, '10']);
  });

  it('asks every 30 s when a kind that it had is refused for more than 2 minutes: the permission was taken', async () => {
    const { api, watch, clock } = track(await watchingReflector());
    api.onWatch = refuse403;
    api.onList = refuse403;
    watch().end(refusal(0));
    await settle();
    for (let second = 0; second < 160; second += 1) {
      await clock.advance(1000);
      await settle();
    }
    const before = api.lists.length;
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1000);
      await settle();
    }
    expect(api.lists.length - before).to.equal(2);
  });

  describe('of a Secret that may not be read yet', () => {
    it('asks at least every 5 s for 2 minutes, then every 30 s', async () => {
      const { api, one } = await forbidden();
      const at: number[] = [0];
      for (let second = 1; second <= 240; second += 1) {
        const before = api.lists.length;
        await one.clock.advance(1000);
        await settle();
        if (api.lists.length > before) at.push(second);
      }
      const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
      const soon = gaps.filter((_, index) => (at[index] ?? 0) < 120);
      const later = gaps.filter((_, index) => (at[index] ?? 0) >= 120);
      expect([Math.max(...soon), Math.min(...later), Math.max(...later)]).to.deep.equal([5, 30, 30]);
    });

    it('asks at once when nudged, though the nudge came while the answer was on its way', async () => {
      const { api, one } = await forbidden();
      await one.clock.advance(200_000);
      await settle();
      const before = api.lists.length;
      one.reflector.nudge();
      await settle();
      expect(api.lists.length).to.equal(before + 1);
      let refuse = nobody;
      let early = true;
      api.onList = async () => {
        if (!early) return aPage([], 1);
        early = false;
        await new Promise<void>((resolve) => (refuse = resolve));
        throw refusal(403);
      };
      one.reflector.nudge();
      await settle();
      one.reflector.nudge();
      refuse();
      await settle();
      expect(one.reflector.hasSynced()).to.equal(true);
    });
  });
});
