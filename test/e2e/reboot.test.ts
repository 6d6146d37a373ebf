import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { bringUp, takeDown } from '../../hack/node/node.ts';
import { PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { place, say } from '../support/e2e/node.ts';
import { readyPods } from './support/kill.ts';
import { secondRequests, untilSwept } from './support/ledger-check.ts';
import { RATE, startLoad, untilServed } from './support/load.ts';
import { eventually } from './support/patience.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';

const STEADY_MS = 5000;
const PODS = 'app.kubernetes.io/part-of=orb-platform';

const receiptsOf = (runs: ReturnType<typeof startLoad>['runs']): readonly string[] =>
  runs.flatMap(({ receiptId }) => (receiptId === '' ? [] : [receiptId]));

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const allReady = async (): Promise<true | undefined> =>
  (await readyPods(PLATFORM_NAMESPACE, PODS)).length === 3 ? true : undefined;

describe('a power cut of the node under 50 runs a second', function () {
  this.timeout(900_000);
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  after(() => stage.close());

  it('loses no receipt, forks no log, sends no run again, and the platform goes on', async () => {
    const { api, providers } = stage;
    const load = startLoad(api, SEND);
    await delay(STEADY_MS);
    await eventually(async () => (receiptsOf(load.runs).length > RATE ? true : undefined));
    await takeDown(place, 'node', say);
    const before = receiptsOf(load.runs).length;
    expect(before, 'runs before the cut').to.be.above(RATE);
    // Its callers, who wait for 30 s, are still there: nothing answers them.
    const ended = load.stop();
    const off = performance.now();
    await bringUp(place, say);
    const up = performance.now();
    expect(await eventually(allReady), 'operators and API are ready').to.equal(true);
    await untilServed(api, SEND);
    say(`      node up in ${seconds(up - off)}, first run ${seconds(performance.now() - up)} after it`);
    const { runs, failed } = await ended;
    say(`      ${before} runs before the cut, ${failed.length} without an answer within 30 s`);
    const again = startLoad(api, SEND);
    await delay(STEADY_MS);
    const second = await again.stop();
    expect(second.failed, 'runs after it').to.deep.equal([]);

    const ledger = await untilSwept(api, [...receiptsOf(runs), ...receiptsOf(second.runs)]);
    say(`      ${ledger.receipts} receipts, ${ledger.swept} of them for runs that the cut hit at their provider`);
    expect(ledger.open, 'runs without a receipt').to.equal(0);
    expect(await secondRequests(providers.all), 'second requests').to.deep.equal([]);
  });
});
