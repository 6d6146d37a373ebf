import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { at, textAt } from '../../support/members.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 'example.lookup@1.0.0';

async function json(response: Response): Promise<JsonObject> {
  const value: unknown = await response.json();
  if (!isJsonObject(value)) throw new TypeError('no object');
  return value;
}

describe('swaps of standalone', function suite() {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let standalone: Standalone;

  before(async () => (standalone = await startStandalone({ data: folder })));
  after(async () => {
    await standalone.stop();
    rmSync(folder, { recursive: true });
  });

  const swap = async (provider: string): Promise<JsonObject> =>
    json(await standalone.post(`/providers/${ORB}/swap`, { provider, reason: 'a test', mode: 'once' }));
  const status = async (): Promise<JsonObject> => json(await standalone.get(`/providers/${ORB}/status`));
  const answeredBy = async (): Promise<unknown> => {
    const run = await standalone.post('/orbisets/default/execute', { orb_id: ORB, inputs: { word: 'orb' } });
    return at(await json(run), 'outputs', 'provider');
  };
  /** The receipt of a swap: it is minted beside the swap, so a moment later. */
  async function receiptOf(id: string): Promise<JsonObject> {
    return json(
      await lastAnswer(
        () => standalone.get(`/receipts/${id}`),
        ({ status: code }) => code === 200,
      ),
    );
  }

  it('moves runs at once, and signs who asked for it and why', async () => {
    expect(await answeredBy()).to.equal('alpha');
    const swapped = await swap('beta');
    expect(swapped).to.deep.include({ status: 'completed', from: 'alpha', active_provider: 'beta' });
    expect(await answeredBy()).to.equal('beta');
    const receipt = await receiptOf(textAt(swapped, 'receipt', 'receipt_id'));
    expect(at(receipt, 'verification', 'verdict')).to.equal('valid');
    expect(at(receipt, 'record', 'swap')).to.deep.include({ seq: 1, kind: 'manual', from: 'alpha', to: 'beta' });
    expect(at(receipt, 'record', 'actor')).to.deep.include({ reason: 'a test', mode: 'once' });
    expect(textAt(receipt, 'record', 'actor', 'id')).to.match(/^key:/);
  });

  it('has lost none after it was killed at the moment of the answer, and counts on', async () => {
    const first = textAt(await status(), 'swaps', '0', 'receipt_id');
    const swapped = await swap('alpha');
    await standalone.stop('SIGKILL');
    standalone = await startStandalone({ data: folder });
    expect(await answeredBy()).to.equal('alpha');
    const second = await receiptOf(textAt(swapped, 'receipt', 'receipt_id'));
    expect(at(second, 'record', 'swap', 'seq')).to.equal(2);
    expect(at(second, 'record', 'previous_receipt_id')).to.equal(first);
    const third = await swap('beta');
    expect(at(await receiptOf(textAt(third, 'receipt', 'receipt_id')), 'record', 'swap', 'seq')).to.equal(3);
    const now = await status();
    expect([0, 1, 2].map((index) => at(now, 'swaps', String(index), 'seq'))).to.deep.equal([3, 2, 1]);
  });
});
