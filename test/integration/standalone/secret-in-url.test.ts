import { expect } from 'chai';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { recordOfRow } from '../../../adapters/object-store/object-row.ts';
import type { Condition } from '../../../core/reconcile/conditions.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { stateRows } from '../../support/state-rows.ts';

const DEADLINE_MS = 30_000;
const HOST = 'api.example.com';
const HEADER = orbManifest('t.mail@1.0.0', { url: `https://${HOST}/send`, secret: 'KEY' });
const QUERY = orbManifest('t.mail@1.0.0', { url: `https://${HOST}/send?key={{orbiset.secrets.KEY}}` });

const objectIn = (rows: ReadonlyMap<string, string>, key: string): KubeObject | undefined =>
  recordOfRow({ key, json: rows.get(`object ${key}`) ?? '' })?.object;

/** The Orbiset `default` as it is stored. */
function orbisetOf({ data }: Standalone): KubeObject {
  const object = objectIn(stateRows(data), 'Orbiset default/default');
  if (object === undefined) throw new TypeError('the Orbiset is not stored');
  return object;
}

describe('SecretInUrl of an Orbiset (security.md S2)', function () {
  this.timeout(120_000);
  let standalone: Standalone;

  const write = (name: string, text: string): void => {
    const path = join(standalone.resources, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  async function until(isThere: boolean): Promise<Condition | undefined> {
    const end = performance.now() + DEADLINE_MS;
    for (;;) {
      const condition = conditionOf(orbisetOf(standalone), 'SecretInUrl');
      if ((condition !== undefined) === isThere || performance.now() > end) return condition;
      await delay(50);
    }
  }

  before(async () => {
    const vault = orbisetDocuments('default', { KEY: { value: 'a-value-of-a-key', hosts: [HOST] } });
    standalone = await startStandalone({ resources: { 'orb.json': QUERY, 'default.yaml': vault } });
  });

  after(async () => {
    await standalone.stop();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('is True while an Orb sends an entry in its URL, and gone when it uses a header', async () => {
    const condition = await until(true);
    expect(condition).to.include({ status: 'True', reason: 'SecretInUrl' });
    expect(condition?.message).to.match(/: KEY of t\.mail@1\.0\.0\.$/);
    write('orb.json', HEADER);
    expect(await until(false)).to.equal(undefined);
    write('orb.json', QUERY);
    expect(await until(true)).to.include({ status: 'True' });
  });

  it('is not written again when nothing changed', async () => {
    const { resourceVersion } = orbisetOf(standalone).metadata;
    write('other.json', orbManifest('t.other@1.0.0', { url: `https://${HOST}/x?key={{orbiset.secrets.KEY}}` }));
    const end = performance.now() + DEADLINE_MS;
    while (![...stateRows(standalone.data).values()].some((json) => json.includes('t.other@1.0.0'))) {
      if (performance.now() > end) throw new Error('the other Orb is not stored');
      await delay(50);
    }
    await delay(2000); // the reports of a change follow within a second
    expect(orbisetOf(standalone).metadata.resourceVersion).to.equal(resourceVersion);
  });

  it('stays as it is over a restart', async () => {
    const before = conditionOf(orbisetOf(standalone), 'SecretInUrl');
    await standalone.stop();
    standalone = await startStandalone({ data: dirname(standalone.data), resources: {} });
    for (let look = 0; look < 20; look += 1) {
      expect(conditionOf(orbisetOf(standalone), 'SecretInUrl')).to.deep.equal(before);
      await delay(100);
    }
  });
});
