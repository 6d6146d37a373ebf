import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failoverPinOf } from '../../../core/failover/pin.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { pinOf } from '../../../core/orb/plan-pin.ts';
import { makeOlder } from '../../support/older-data.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { stateRows, swapReceipts } from '../../support/state-rows.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
const NAMES = ['filed', 'broken', 'removed', 'swapped'] as const;
const FILE_PIN = { provider: 'other', expires_at: new Date(Date.now() + 5 * HOUR_MS).toISOString() };

/** What a caller sees of the providers of one Orb. */
interface State {
  readonly name: string;
  readonly active: JsonValue;
  readonly pin: JsonValue;
  readonly swaps: JsonValue;
}

const uidsIn = (rows: ReadonlyMap<string, string>): readonly unknown[] =>
  NAMES.map((name) => {
    const row: unknown = JSON.parse(rows.get(`object Orb default/${name}`) ?? '{}');
    return isJsonObject(row) ? row['uid'] : '';
  });

describe('a data folder of a version whose resources were no objects', function suite() {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;
  let seen: readonly State[];
  let uids: readonly unknown[];

  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const orb = (name: string, pin?: object): string => {
    const url = `http://127.0.0.1:${provider.port}/ok`;
    const execution = { type: 'http', method: 'POST', url, body_template: '{}' };
    const swaps = { swap_config: { primary: 'main', fallbacks: ['other'] }, providers: { other: { execution } } };
    const manifest: unknown = JSON.parse(orbManifest(`t.${name}@1.0.0`, { url, manifest: swaps }));
    const spec = { ...(isJsonObject(manifest) ? manifest : {}), ...(pin === undefined ? {} : { pin }) };
    return JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name }, spec });
  };
  const membersOf = async (path: string): Promise<JsonObject> => {
    const value: unknown = await (await standalone.get(path)).json();
    return isJsonObject(value) ? value : {};
  };
  const reported = (name: string): readonly unknown[] => swapReceipts(standalone.data, `t.${name}@1.0.0`);

  /** What a caller sees of the providers of each Orb. */
  const states = (): Promise<readonly State[]> =>
    Promise.all(
      NAMES.map(async (name) => {
        const {
          active_provider: active = '',
          pin = '',
          swaps = '',
        } = await membersOf(`/providers/t.${name}@1.0.0/status`);
        return { name, active, pin, swaps };
      }),
    );
  const runs = (): Promise<readonly number[]> =>
    Promise.all(
      NAMES.map(async (name) => {
        const call = { orb_id: `t.${name}@1.0.0`, inputs: { text: 'x' } };
        return (await standalone.post('/orbisets/default/execute', call)).status;
      }),
    );
  const swap = async (name: string, to: string, mode: string): Promise<void> => {
    const body = { provider: to, reason: 'a test', mode };
    expect((await standalone.post(`/providers/t.${name}@1.0.0/swap`, body)).status).to.equal(200);
  };
  const restart = async (): Promise<void> => {
    standalone = await startStandalone({ data: dirname(standalone.data), resources: {}, flags: flags() });
  };

  before(async () => {
    provider = await startProvider();
    standalone = await startStandalone({
      resources: {
        'filed.json': orb('filed', FILE_PIN),
        'broken.json': orb('broken'),
        'removed.json': orb('removed', FILE_PIN),
        'swapped.json': orb('swapped'),
        'orbiset.yaml': orbisetDocuments('default', {}),
      },
      flags: flags(),
    });
    await swap('broken', 'other', 'soft');
    await swap('swapped', 'other', 'once');
    await swap('swapped', 'main', 'once');
    const { url, api_key: apiKey } = standalone.ready;
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(`${url}/providers/t.removed@1.0.0/pin`, { method: 'DELETE', headers })).status).to.equal(200);
    seen = await lastAnswer(states, (found) => found.every(({ swaps }) => JSON.stringify(swaps) !== '[]'));
    writeFileSync(join(standalone.resources, 'broken.json'), '{ broken');
    expect(await standalone.stop()).to.equal(0);
    uids = uidsIn(stateRows(standalone.data));
    await makeOlder(standalone.data, ({ metadata: { name }, ...object }) => {
      const pin = pinOf({ ...object, metadata: { name } });
      if (name === 'removed') return { hidden: failoverPinOf(FILE_PIN).id };
      return pin === undefined || name === 'filed' ? undefined : { pin: { ...pin } };
    });
    expect([...stateRows(standalone.data).keys()].filter((key) => key.startsWith('object'))).to.deep.equal([]);
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('goes on: providers, pins, numbers of swaps and uids stay, and what a broken file held last runs', async () => {
    await restart();
    expect(await runs()).to.deep.equal([200, 200, 200, 200]);
    expect(await states()).to.deep.equal(seen);
    expect(await standalone.stop()).to.equal(0);
    const rows = stateRows(standalone.data);
    expect(uidsIn(rows)).to.deep.equal(uids);
    expect([...rows.keys()].filter((key) => /^(?:pin|failover) /.test(key))).to.deep.equal([]);
    await restart();
    expect(await states()).to.deep.equal(seen);
  });

  it('counts on, with one receipt for each swap', async () => {
    await swap('swapped', 'other', 'once');
    const counts = new Map<unknown, number>([
      ['filed', 1],
      ['broken', 1],
      ['removed', 1],
      ['swapped', 3],
    ]);
    await untilTrue('the third swap is reported', () => reported('swapped').length >= 3);
    for (const { name, swaps } of await states()) {
      const made = (Array.isArray(swaps) ? swaps : []).map((one: unknown) => (isJsonObject(one) ? one : {}));
      expect(made.map(({ seq, receipt_id: id }) => [seq, id]).toReversed()).to.deep.equal(reported(name));
      expect(made.length).to.equal(counts.get(name));
    }
  });
});
