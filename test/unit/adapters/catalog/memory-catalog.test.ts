import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCatalog, type OrbResource } from '../../../../adapters/catalog/memory-catalog.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { compileOrbiset } from '../../../../core/orb/compile-orbiset.ts';

const idOf = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
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
    expect([holder(catalog), [...catalog.all()]]).to.deep.equal([undefined, []]);
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
    expect([...catalog.all()].filter(({ namespace }) => namespace === 'globex')).to.deep.equal([]);
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

  it('tells who watches of every Orb that changes, comes or goes, and lists them all', () => {
    const catalog = filled(resource('old', 1));
    const reported: string[] = [];
    const end = catalog.watch((namespace, orbId) => {
      reported.push(`${namespace} ${orbId} ${catalog.orb(namespace, orbId)?.name ?? 'gone'}`);
    });
    catalog.setOrb(resource('other', 1, 'acme.two@1.0.0', 'zoo'));
    expect([...catalog.all()].map(({ name }) => name)).to.deep.equal(['old', 'other']);
    catalog.removeOrb('acme', 'old');
    catalog.setOrb(resource('other', 1, 'acme.two@1.0.0', 'zoo'));
    expect(reported).to.deep.equal([
      'zoo acme.two@1.0.0 other',
      'acme acme.echo@1.0.0 gone',
      'zoo acme.two@1.0.0 other',
    ]);
    end();
    catalog.removeOrb('zoo', 'other');
    expect(reported).to.have.lengthOf(3);
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
