import { expect } from 'chai';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import { ValidOrbs } from '../../../../adapters/catalog/valid-orbs.ts';
import { OrbFeed } from '../../../../api-server/feeds/orb-feed.ts';
import { compileStored } from '../../../../core/orb/plan-manifest.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrb, manifestOf, type ObjectOptions } from '../../../support/kube-objects.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';

const spec = manifestOf({ orb_id: 'acme.echo@1.0' });
const generation = (number: number, options: ObjectOptions = {}): KubeObject =>
  anOrb('echo', { ...options, metadata: { generation: number, ...options.metadata } });

describe('an Orb without a usable id', () => {
  it('keeps its place and its fault, until it has an id or is gone', async () => {
    const { ledger, dispose } = await openSqliteFixture();
    const catalog = new MemoryCatalog();
    const metrics = { setOrb: () => undefined, removeOrb: () => undefined };
    const valid = new ValidOrbs({ catalog, ledger, metrics, allowedOrigins: [] });
    const feed = new OrbFeed({ valid, logger: recordLog().logger, compile: (orb) => compileStored(orb, []) });
    const places = (): readonly string[] => catalog.invalid('acme').map(({ place }) => place);
    await feed.apply('acme/echo', generation(1, { spec }));
    const [invalid] = catalog.invalid('acme');
    expect(invalid).to.deep.include({ place: 'Orb acme/echo', ids: ['acme.echo@1.0'] });
    expect(invalid?.fault).to.match(/^spec\.orb_id/);
    expect(catalog.invalid('globex')).to.deep.equal([]);
    await feed.apply('acme/echo', generation(2, { spec, metadata: { annotations: { 'orbs.dev/file': 'echo.json' } } }));
    expect(places()).to.deep.equal(['echo.json']);
    await feed.apply('acme/echo', generation(3));
    expect(places()).to.deep.equal([]);
    await feed.apply('acme/other', anOrb('other', { spec }));
    expect(places()).to.deep.equal(['Orb acme/other']);
    await feed.apply('acme/other', undefined);
    expect(places()).to.deep.equal([]);
    await dispose();
  });
});
