import { expect } from 'chai';
import fc from 'fast-check';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { KubeError, type Kind } from '../../../../adapters/kube/port.ts';
import { openObjectStore } from '../../../../adapters/object-store/object-store.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anObjectStore, orbObject, type AnObjectStore } from '../../../support/an-object-store.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';
import { ledgerAway, objectRows } from '../../../support/object-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';

const never = new AbortController().signal;
const newUid = (): string => crypto.randomUUID();
const versionOf = (object: KubeObject | undefined): number => Number(object?.metadata.resourceVersion);

const applyStatus = ({ client }: AnObjectStore, name: string, status: object): Promise<KubeObject> => {
  const { apiVersion, kind, metadata } = orbObject(name);
  const by = { fieldManager: 'operator', subresource: 'status' } as const;
  return client.apply(KINDS.orb, { apiVersion, kind, metadata, status }, by, never);
};

const listed = async ({ client }: AnObjectStore): Promise<ReadonlyMap<string, KubeObject>> =>
  new Map((await client.list(KINDS.orb, {}, never)).items.map((object) => [object.metadata.name, object]));

/** A refusal is an answer as good as another. */
const attempt = async (call: Promise<unknown>): Promise<void> => {
  await call.catch((error: unknown) => expect(error).to.be.instanceOf(KubeError));
};

describe('an object store that is opened again', () => {
  let store: AnObjectStore;
  beforeEach(async () => {
    store = await anObjectStore();
  });

  it('has every object as it was', async () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    const metadata = { labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['x/y'], ownerReferences: [owner] };
    await store.applyOrb('a', { metadata, spec: { pin: { provider: 'b' }, list: [1, { two: null }] } });
    await store.applyOrb('a', { spec: { pin: { mode: 'hard' } }, by: 'api' });
    await applyStatus(store, 'a', { conditions: [{ type: 'Ready' }, { type: 'Stalled' }], observedGeneration: 2 });
    const before = await store.orb('a');
    expect(before?.metadata).to.include({ generation: 2, creationTimestamp: '2026-01-01T00:00:00.250Z' });
    expect(await (await store.reopen()).orb('a')).to.deep.equal(before);
  });

  it('keeps who owns what: the same again writes no row, less removes what is left out', async () => {
    await store.applyOrb('a', { spec: { description: 'x', provider: 'p' } });
    await store.applyOrb('a', { spec: { provider: 'p' }, by: 'other' });
    const before = await store.orb('a');
    const again = await store.reopen();
    const rows = store.rows.writes.length;
    await again.applyOrb('a', { spec: { description: 'x', provider: 'p' } });
    expect([store.rows.writes.length, await again.orb('a')]).to.deep.equal([rows, before]);
    expect((await again.applyOrb('a')).spec).to.deep.equal({ orb_id: 'acme.a@1.0.0', provider: 'p' });
    expect((await again.applyOrb('a', { by: 'other' })).spec).to.deep.equal({ orb_id: 'acme.a@1.0.0' });
  });

  it('gives versions above all that it has', async () => {
    await store.applyOrb('a');
    const last = await store.applyOrb('b');
    const again = await store.reopen();
    expect(versionOf(await again.applyOrb('c'))).to.be.greaterThan(versionOf(last));
    expect((await again.client.list(KINDS.orb, {}, never)).items).to.have.length(3);
  });

  it('has nothing of what was deleted', async () => {
    await store.applyOrb('a');
    await store.deleteOrb('a');
    expect([await (await store.reopen()).orb('a'), store.rows.rows.size]).to.deep.equal([undefined, 0]);
  });

  it('keeps a uid and a time of creation that were given', async () => {
    const metadata = { name: 'a', namespace: 'acme', uid: 'of-old', creationTimestamp: '2025-05-05T05:05:05Z' };
    await store.client.create(KINDS.orb, { ...orbObject('a'), metadata }, never);
    await store.applyOrb('b', { metadata: { creationTimestamp: '2025-05-05T05:05:05.900Z' } });
    const again = await store.reopen();
    expect((await again.orb('a'))?.metadata).to.include({ uid: 'of-old', creationTimestamp: '2025-05-05T05:05:05Z' });
    expect((await again.orb('b'))?.metadata.creationTimestamp).to.equal('2025-05-05T05:05:05.900Z');
    expect(JSON.parse(store.rows.rows.get('Orb acme/b') ?? '')).to.include({ createdMs: 1_746_421_505_900 });
  });

  it('names integers that were rounded, before and after', async () => {
    const spec = { inputs: { large: 2 ** 53, fits: 2 ** 53 - 1 } };
    expect((await store.applyOrb('a', { spec })).unsafeIntegers).to.deep.equal(['/spec/inputs/large']);
    expect((await (await store.reopen()).orb('a'))?.unsafeIntegers).to.deep.equal(['/spec/inputs/large']);
  });

  it('holds a member whose name means something else to JavaScript', async () => {
    const odd: unknown = JSON.parse('{ "__proto__": { "a": 1 }, "constructor": 2 }');
    await store.applyOrb('a', { spec: { odd } });
    const again = await (await store.reopen()).orb('a');
    expect(JSON.stringify(again?.spec)).to.include('"__proto__":{"a":1}').and.include('"constructor":2');
  });

  const unkept: readonly (readonly [Kind, object])[] = [
    [KINDS.secret, { data: { KEY: 'c2VjcmV0' } }],
    [KINDS.event, { note: 'x' }],
    [KINDS.lease, { spec: { holderIdentity: 'x' } }],
  ];
  for (const [kind, members] of unkept) {
    it(`keeps no ${kind.kind}, and writes none`, async () => {
      const metadata = { namespace: 'acme', name: 'x' };
      const object = { apiVersion: 'v1', kind: kind.kind, metadata, ...members };
      const made = await store.client.apply(kind, object, { fieldManager: 'one' }, never);
      expect(await store.client.get(kind, metadata, never)).to.deep.equal(made);
      expect([store.rows.writes, JSON.stringify(store.lines)]).to.deep.equal([[], '[]']);
      expect(await (await store.reopen()).client.get(kind, metadata, never)).to.equal(undefined);
    });
  }

  const unreadable: readonly (readonly [why: string, change: (row: string) => string])[] = [
    ['is no JSON', () => '{'],
    ['is no object', () => '[]'],
    ['has no fields', (row) => row.replace('"fields":', '"felder":')],
    ['has an owner of fields that are not there', (row) => row.replace('"fields":[0', '"fields":[9')],
    ['has an operation that nobody knows', (row) => row.replace('"Apply"', '"Delete"')],
    ['has a version that is none', (row) => row.replace(/"resourceVersion":"[0-9]+"/, '"resourceVersion":"x"')],
    ['is of another object', (row) => row.replace('"name":"a"', '"name":"z"')],
    ['is of a kind that is never stored', (row) => row.replaceAll('"kind":"Orb"', '"kind":"Secret"')],
  ];
  for (const [why, change] of unreadable) {
    it(`leaves a row alone that ${why}, and says its key`, async () => {
      await store.applyOrb('a');
      await store.applyOrb('b');
      const row = change(store.rows.rows.get('Orb acme/a') ?? '');
      store.rows.set('Orb acme/a', row);
      const again = await store.reopen();
      expect([await again.orb('a'), store.rows.rows.get('Orb acme/a')]).to.deep.equal([undefined, row]);
      expect((await again.orb('b'))?.metadata.name).to.equal('b');
      expect(again.lines.map(({ level, fields }) => [level, fields])).to.deep.equal([['warn', { key: 'Orb acme/a' }]]);
    });
  }

  it('has what was written just before it was killed, though nobody was answered', async () => {
    store.rows.after = () => {
      throw ledgerAway();
    };
    await refusal(store.applyOrb('a'));
    expect(await store.orb('a')).to.equal(undefined);
    expect((await (await store.reopen()).orb('a'))?.metadata.name).to.equal('a');
  });

  it('has what was said last, though a refused row had been written', async () => {
    await store.applyOrb('a');
    store.rows.after = () => {
      throw ledgerAway();
    };
    await refusal(store.applyOrb('a', { spec: { description: 'never answered' } }));
    await refusal(store.applyOrb('b'));
    store.rows.after = () => undefined;
    await store.applyOrb('a');
    await store.deleteOrb('b');
    const again = await store.reopen();
    expect((await again.orb('a'))?.spec).to.deep.equal({ orb_id: 'acme.a@1.0.0' });
    expect(await again.orb('b')).to.equal(undefined);
  });

  it('is the same over a SQLite ledger', async () => {
    const fixture = await openSqliteFixture();
    const deps = { clock: fixture.clock, logger: recordingLogger(), newUid };
    const first = await openObjectStore({ ...deps, ledger: fixture.ledger });
    const made = await first.client.apply(KINDS.orb, orbObject('a'), { fieldManager: 'file' }, never);
    const second = await openObjectStore({ ...deps, ledger: await fixture.reopen() });
    expect(await second.client.get(KINDS.orb, made.metadata, never)).to.deep.equal(made);
    await fixture.dispose();
  });

  const name = fc.constantFrom('a', 'b', 'c');
  const by = fc.constantFrom('one', 'two');
  const member = fc.constantFrom('provider', 'inputs', 'pin', '__proto__', 'x/y');
  const spec = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  const labels = fc.dictionary(fc.constantFrom('l', 'm'), fc.string({ maxLength: 3 }), { maxKeys: 2 });
  const types = fc.uniqueArray(fc.constantFrom('Ready', 'Stalled', 'PinValid'));
  type Step = (on: AnObjectStore) => Promise<unknown>;
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ name, by, spec, labels }).map(
      (it): Step =>
        (on) =>
          on.applyOrb(it.name, { spec: it.spec, metadata: { labels: it.labels }, by: it.by }),
    ),
    fc.record({ name, types }).map(
      (it): Step =>
        (on) =>
          applyStatus(on, it.name, { conditions: it.types.map((type) => ({ type })) }),
    ),
    fc.record({ name, spec, by }).map((it): Step => (on) => {
      const options = { type: 'merge', body: { spec: it.spec }, fieldManager: it.by } as const;
      return on.client.patch(KINDS.orb, { namespace: 'acme', name: it.name }, options, never);
    }),
    fc.record({ name, by, member }).map((it): Step => (on) => {
      const operation = { op: 'remove', path: `/spec/${it.member.replace('/', '~1')}` };
      const options = { type: 'json', body: [operation], fieldManager: it.by } as const;
      return on.client.patch(KINDS.orb, { namespace: 'acme', name: it.name }, options, never);
    }),
    name.map(
      (it): Step =>
        (on) =>
          on.deleteOrb(it),
    ),
  );
  it('has the same objects after whatever was done, and goes on in the same way', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.array(step, { maxLength: 4 }), async (steps, more) => {
        const clock = createFakeClock(0);
        const one = await anObjectStore({ rows: objectRows(), clock });
        for (const act of steps) await attempt(act(one));
        const two = await one.reopen();
        expect(await listed(two)).to.deep.equal(await listed(one));
        const other = await anObjectStore({ rows: objectRows(), clock });
        for (const [key, json] of one.rows.rows) other.rows.set(key, json);
        const copy = await other.reopen();
        for (const act of more) {
          await attempt(act(one));
          await attempt(act(copy));
        }
        const specs = async (on: AnObjectStore): Promise<unknown> =>
          new Map(
            [...(await listed(on))].map(([key, { spec: its, status, metadata }]) => [
              key,
              [its, status, metadata.labels],
            ]),
          );
        expect(await specs(copy)).to.deep.equal(await specs(one));
      }),
      { numRuns: 60 },
    ));
});
