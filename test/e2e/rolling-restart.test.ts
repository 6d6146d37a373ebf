import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { say } from '../support/e2e/node.ts';
import { checkLoad } from './support/ledger-check.ts';
import { GAP_MS, leastGap, startLoad } from './support/load.ts';
import { platformKubectl } from './support/release.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';

const STEADY_MS = 5000;

async function restart(name: string): Promise<void> {
  await platformKubectl('rollout', 'restart', `deploy/${name}`);
  await platformKubectl('rollout', 'status', `deploy/${name}`, '--timeout=300s');
}

describe('a rolling restart under 50 runs a second', () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  after(() => stage.close());

  for (const name of ['orb-operator', 'orb-api'] as const) {
    it(`of ${name} loses no run and sends none twice`, async () => {
      const gap = await leastGap(async () => {
        const load = startLoad(stage.api, SEND);
        await delay(STEADY_MS);
        await restart(name);
        await delay(STEADY_MS);
        const result = await load.stop();
        const most = Math.max(...result.runs.map(({ sent }) => sent));
        say(
          `      ${result.runs.length} runs, gap ${(result.gapMs / 1000).toFixed(1)} s, at most ${most} sends of one`,
        );
        await checkLoad(stage.api, result, stage.providers.all);
        return result.gapMs;
      });
      expect(gap, 'ms without an answered run').to.be.lessThan(GAP_MS);
    });
  }
});
