import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { say } from '../support/e2e/node.ts';
import { checkLoad } from './support/ledger-check.ts';
import { startLoad } from './support/load.ts';
import { platformKubectl } from './support/release.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';

const STEADY_MS = 5000;
// Measured: 4 to 6 s on an idle machine; the goal of a single replica.
const GAP_MS = 10_000;

async function restart(name: string): Promise<void> {
  await platformKubectl('rollout', 'restart', `deploy/${name}`);
  await platformKubectl('rollout', 'status', `deploy/${name}`, '--timeout=120s');
}

describe('a rolling restart under 50 runs a second', function () {
  this.timeout(300_000);
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  after(() => stage.close());

  for (const name of ['orb-operator', 'orb-api'] as const) {
    it(`of ${name} loses no run and sends none twice`, async () => {
      const load = startLoad(stage.api, SEND);
      await delay(STEADY_MS);
      await restart(name);
      await delay(STEADY_MS);
      const result = await load.stop();
      const most = Math.max(...result.runs.map(({ sent }) => sent));
      say(`      ${result.runs.length} runs, gap ${(result.gapMs / 1000).toFixed(1)} s, at most ${most} sends of one`);
      await checkLoad(stage.api, result, stage.providers.all);
      expect(result.gapMs).to.be.lessThan(GAP_MS);
    });
  }
});
