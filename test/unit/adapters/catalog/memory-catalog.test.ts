import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCatalog, type OrbResource } from '../../../../adapters/catalog/memory-catalog.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { compileOrbiset } from '../../../../core/orb/compile-orbiset.ts';
import { orbManifest } from '../../../support/orbs.ts';

const idOf = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value.id;
};

const resource = (name: string, createdAt: number, orbId = 'acme.echo@1.0.0', namespace = 'acme'): OrbResource => ({
  namespace,
  name,
  orbId: idOf(orbId),
  compiled: undefined,
  createdAt,
});

const holder = (catalog: MemoryCatalog, orbId = 'acme.echo@1.0.0', namespace = 'acme'): string | undefined =>
  catalog.orb(namespace, idOf(orbId))?.name;

const filled = (...resources: readonly OrbResource[]): MemoryCatalog => {
  const catalog = new MemoryCatalog();
  for (const one of resources) catalog.setOrb(one);
  return catalog;
};

const anOrbiset = (suspended: boolean) =>
  compileOrbiset({ namespace: 'acme', name: 's', spec: { suspended }, secret: () => undefined, extra: [] }).orbiset;

const named = (name: string, namespace = 'acme') => ({ ...anOrbiset(false), name, namespace });

const holders = (of: MemoryCatalog) => ['x', 'y'].map((id) => holder(of, `acme.${id}@1.0.0`));

describe('MemoryCatalog (design.md §2)', () => {
  it('gives an id to the oldest resource of its namespace, then to the lower name', () => {
    expect(holder(filled(resource('young', 2), resource('old', 1)))).to.equal('old');
    expect(holder(filled(resource('b', 1), resource('a', 1)))).to.equal('a');
  });

  it('gives an id to no resource without a valid version as long as another one has one', () => {
    const old = resource('old', 1);
    const young = { ...resource('young', 2), isValid: true };
    expect(holder(filled(old, young))).to.equal('young');
    expect(holder(filled({ ...old, isValid: true }, young))).to.equal('old');
  });

  it('hands the id on when its holder goes', () => {
    const catalog = filled(resource('old', 1), resource('young', 2));
    catalog.removeOrb('acme', 'old');
    expect(holder(catalog)).to.equal('young');
    catalog.removeOrb('acme', 'young');
    expect([holder(catalog), catalog.orbs('acme')]).to.deep.equal([undefined, []]);
  });

  it('hands the id on when its holder takes another one', () => {
    const catalog = filled(resource('old', 1), resource('young', 2));
    catalog.setOrb(resource('old', 1, 'acme.other@1.0.0'));
    expect([holder(catalog), holder(catalog, 'acme.other@1.0.0')]).to.deep.equal(['young', 'old']);
  });

  it('keeps namespaces apart', () => {
    const catalog = filled(resource('one', 1), resource('one', 1, 'acme.echo@1.0.0', 'globex'));
    catalog.removeOrb('globex', 'one');
    expect([holder(catalog), holder(catalog, 'acme.echo@1.0.0', 'globex')]).to.deep.equal(['one', undefined]);
    expect(catalog.orbs('globex')).to.deep.equal([]);
  });

  it('minds no removal of what is not there', () => {
    const catalog = filled(resource('one', 1));
    catalog.removeOrb('acme', 'two');
    expect(holder(catalog)).to.equal('one');
  });

  it('replaces an Orbiset as a whole, and a reader keeps the one that it has', () => {
    const catalog = new MemoryCatalog();
    catalog.setOrbiset(anOrbiset(false));
    const before = catalog.orbiset('acme', 's');
    catalog.setOrbiset(anOrbiset(true));
    expect([before?.suspended, catalog.orbiset('acme', 's')?.suspended]).to.deep.equal([false, true]);
    catalog.removeOrbiset('acme', 's');
    expect(catalog.orbiset('acme', 's')).to.equal(undefined);
  });

  it('has the same holders in whatever order resources come and go', () => {
    const one = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      at: fc.nat(2),
      id: fc.constantFrom('x', 'y'),
      gone: fc.boolean(),
      isValid: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (steps) => {
        const catalog = new MemoryCatalog();
        const last = new Map<string, OrbResource>();
        for (const { name, at, id, gone, isValid } of steps) {
          const next = { ...resource(name, at, `acme.${id}@1.0.0`), isValid };
          if (gone) catalog.removeOrb('acme', name);
          else catalog.setOrb(next);
          if (gone) last.delete(name);
          else last.set(name, next);
        }
        const fresh = filled(...last.values());
        expect(holders(catalog)).to.deep.equal(holders(fresh));
      }),
    );
  });

  describe('layers', () => {
    const orbId = idOf('acme.echo@1.0.0');
    const place = { namespace: 'acme', orbId };
    const compiledOf = (text: string): OrbResource['compiled'] => {
      const value: unknown = JSON.parse(
        orbManifest(orbId, { url: 'https://api.example.com/', manifest: { description: text } }),
      );
      const compiled = isJsonObject(value) ? compileOrb(value, { namespace: 'acme', allowedOrigins: [] }) : undefined;
      if (compiled?.ok !== true) throw new TypeError('no Orb');
      return compiled.value;
    };
    const shownOf = (catalog: MemoryCatalog) => catalog.orb('acme', orbId)?.compiled;

    it('lie over every version that comes, whoever holds the id, and not over other Orbs', () => {
      const catalog = filled({ ...resource('a', 1), compiled: compiledOf('one') });
      catalog.lay(place, 'pin', (orb) => ({ ...orb, irreversible: true }));
      expect(shownOf(catalog)?.irreversible).to.equal(true);
      catalog.setOrb({ ...resource('a', 1), compiled: compiledOf('two') });
      catalog.setOrb({ ...resource('b', 0), compiled: compiledOf('three') });
      expect([shownOf(catalog)?.irreversible, shownOf(catalog)?.manifest.description]).to.deep.equal([true, 'three']);
      catalog.setOrb({ ...resource('o', 1, 'acme.echo@1.0.0', 'other'), compiled: compiledOf('one') });
      expect(catalog.orb('other', orbId)?.compiled?.irreversible).to.equal(false);
    });

    it('are laid before there is an Orb, pin first, and taken away again', () => {
      const catalog = filled();
      catalog.lay(place, 'failover', (orb) => ({ ...orb, sloMs: orb.irreversible ? 1 : 2 }));
      catalog.lay(place, 'pin', (orb) => ({ ...orb, irreversible: true }));
      catalog.setOrb(resource('a', 1));
      expect(shownOf(catalog)).to.equal(undefined);
      const bare = compiledOf('one');
      catalog.setOrb({ ...resource('a', 1), compiled: bare });
      expect(shownOf(catalog)?.sloMs).to.equal(1);
      expect(catalog.bare('acme', orbId)).to.equal(bare);
      catalog.lay(place, 'pin', undefined);
      expect(shownOf(catalog)?.sloMs).to.equal(2);
      catalog.lay(place, 'failover', undefined);
      expect(shownOf(catalog)).to.equal(bare);
    });
  });

  it('tells who watches of every Orb that changes, comes or goes, and lists them all', () => {
    const catalog = filled(resource('old', 1));
    const told: string[] = [];
    const end = catalog.watch((namespace, orbId) => {
      told.push(`${namespace} ${orbId} ${catalog.orb(namespace, orbId)?.name ?? 'gone'}`);
    });
    catalog.setOrb(resource('other', 1, 'acme.two@1.0.0', 'zoo'));
    expect([...catalog.all()].map(({ name }) => name)).to.deep.equal(['old', 'other']);
    catalog.removeOrb('acme', 'old');
    catalog.lay({ namespace: 'zoo', orbId: idOf('acme.two@1.0.0') }, 'pin', (orb) => orb);
    expect(told).to.deep.equal(['zoo acme.two@1.0.0 other', 'acme acme.echo@1.0.0 gone', 'zoo acme.two@1.0.0 other']);
    end();
    catalog.removeOrb('zoo', 'other');
    expect(told).to.have.lengthOf(3);
  });

  it('knows the only Orbiset of a namespace', () => {
    const catalog = new MemoryCatalog();
    const only = (): string | undefined => catalog.onlyOrbiset('acme')?.name;
    expect(only()).to.equal(undefined);
    catalog.setOrbiset(named('one'));
    catalog.setOrbiset(named('foreign', 'zoo'));
    expect(only()).to.equal('one');
    catalog.setOrbiset(named('two'));
    expect(only()).to.equal(undefined);
    catalog.removeOrbiset('acme', 'one');
    expect(only()).to.equal('two');
    catalog.removeOrbiset('acme', 'two');
    expect(only()).to.equal(undefined);
  });
});
