import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { at } from '../../support/members.ts';
import { swapReceipts } from '../../support/state-rows.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';

const ORB = 'example.lookup@1.0.0';
const RECEIPTS_MS = 20_000;

/** Loaded before the program: ends the process when it is about to answer a swap, whose rows are written by then. */
const KILLED_AT_ANSWER = `--import data:text/javascript,${encodeURIComponent(`
  import { ServerResponse } from 'node:http';
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (...given) {
    if (this.req.url.endsWith('/swap')) process.kill(process.pid, 'SIGKILL');
    return writeHead.apply(this, given);
  };
`)}`;

async function membersOf(answer: Promise<Response>): Promise<JsonObject> {
  const value: unknown = await (await answer).json();
  return isJsonObject(value) ? value : {};
}

const swapsIn = (seen: JsonObject): readonly (readonly [unknown, unknown])[] => {
  const { swaps } = seen;
  const all: readonly unknown[] = Array.isArray(swaps) ? swaps : [];
  return all.flatMap((made) => (isJsonObject(made) ? [[made['seq'], made['receipt_id']] as const] : []));
};

describe('a process that is killed while it sets a pin', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let standalone: Standalone;
  /** Swaps that were seen, newest first: number and receipt. */
  let before: readonly (readonly [unknown, unknown])[] = [];

  after(async () => {
    await standalone.stop();
    rmSync(folder, { recursive: true });
  });

  const status = (): Promise<JsonObject> => membersOf(standalone.get(`/providers/${ORB}/status`));
  const swap = async (provider: string): Promise<number | undefined> => {
    const asked = standalone.post(`/providers/${ORB}/swap`, { provider, reason: 'killed', mode: 'soft' });
    return asked.then(({ status: code }) => code).catch(() => undefined);
  };
  /** Starts again and waits until what was begun has ended. */
  async function restarted(): Promise<JsonObject> {
    standalone = await startStandalone({ data: folder });
    const first = await status();
    const wanted = at(first, 'pin', 'provider') ?? first['active_provider'];
    await untilTrue('the pin is followed', async () => (await status())['active_provider'] === wanted);
    return status();
  }
  const untilReceiptsAre = (count: number): Promise<number> =>
    lastAnswer(
      () => swapReceipts(standalone.data, ORB).length,
      (found) => found >= count,
      RECEIPTS_MS,
    );

  /** The pin holds, and was counted once, with one receipt; or it was never set, and nothing happened. */
  async function checkWhole(seen: JsonObject, provider: string): Promise<boolean> {
    const isHeld = at(seen, 'pin', 'provider') === provider;
    const swaps = swapsIn(seen);
    const made = isHeld ? 1 : 0;
    expect(swaps.length).to.equal(before.length + made);
    expect(swaps.slice(made)).to.deep.equal(before);
    expect(swaps.map(([seq]) => seq)).to.deep.equal(swaps.map((_, index) => swaps.length - index));
    await untilReceiptsAre(swaps.length);
    expect(await standalone.stop()).to.equal(0);
    expect(swapReceipts(standalone.data, ORB)).to.deep.equal(swaps.toReversed());
    before = swaps;
    return isHeld;
  }

  it('has the pin, one swap and one receipt when it was killed between its rows and the answer', async () => {
    standalone = await startStandalone({ data: folder, env: { NODE_OPTIONS: KILLED_AT_ANSWER } });
    expect(await swap('beta')).to.equal(undefined);
    await standalone.stop();
    expect(standalone.child.signalCode).to.equal('SIGKILL');
    const seen = await restarted();
    expect(seen['active_provider']).to.equal('beta');
    expect(await checkWhole(seen, 'beta')).to.equal(true);
  });

  for (const [ms, provider] of [
    [0, 'alpha'],
    [5, 'beta'],
  ] as const)
    it(`has the pin whole or not at all when it is killed ${ms} ms after it was asked for`, async () => {
      standalone = await startStandalone({ data: folder });
      const held = at(await status(), 'pin', 'provider');
      const wanted = held === provider ? (provider === 'alpha' ? 'beta' : 'alpha') : provider;
      const asked = swap(wanted);
      await delay(ms);
      await standalone.stop('SIGKILL');
      const code = await asked;
      const isHeld = await checkWhole(await restarted(), wanted);
      if (code === 200) expect(isHeld).to.equal(true);
    });
});
