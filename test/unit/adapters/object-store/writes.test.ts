import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anObjectStore, orbObject, type AnObjectStore } from '../../../support/an-object-store.ts';
import { ledgerAway } from '../../../support/object-rows.ts';
import { settle } from '../../../support/kube/a-reflector.ts';
import { refusal } from '../../../support/refusal.ts';

const never = new AbortController().signal;
const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

describe('writes of an object store', () => {
  let store: AnObjectStore;
  beforeEach(async () => {
    store = await anObjectStore();
  });

  /** Lets writes of rows wait, in the order of their coming. */
  function hold(): { readonly waiting: () => readonly string[]; readonly pass: (write: string) => Promise<void> } {
    const held: { write: string; go: () => void }[] = [];
    store.rows.before = (write) => new Promise<void>((go) => held.push({ write, go }));
    return {
      waiting: () => held.map(({ write }) => write),
      pass: async (write) => {
        const index = held.findIndex((one) => one.write === write);
        for (const { go } of held.splice(index, 1)) go();
        await settle();
      },
    };
  }
  it('answers with the ledger’s own error, changes nothing, and takes the next call', async () => {
    const made = await store.applyOrb('a');
    const away = ledgerAway();
    store.rows.before = () => {
      throw away;
    };
    const change = { spec: { description: 'new' } };
    expect(await refusal(store.applyOrb('a', change)))
      .to.equal(away)
      .and.instanceOf(LedgerError);
    expect(await refusal(store.deleteOrb('a'))).to.equal(away);
    expect(await store.orb('a')).to.equal(made);
    store.rows.before = () => undefined;
    expect((await store.applyOrb('a', change)).metadata.generation).to.equal(2);
  });

  it('does calls for one object one after the other, in their order, each over what the one before made', async () => {
    const rows = hold();
    const all = ['one', 'two', 'three'].map((by) => store.applyOrb('a', { spec: { [by]: by }, by }));
    await settle();
    expect(rows.waiting()).to.deep.equal(['put Orb acme/a']);
    expect(await store.orb('a'), 'it is not durable').to.equal(undefined);
    for (let left = all.length; left > 0; left -= 1) await rows.pass('put Orb acme/a');
    const objects = await Promise.all(all);
    expect(objects.map(({ metadata }) => metadata.generation)).to.deep.equal([1, 2, 3]);
    expect((await store.orb('a'))?.spec).to.deep.include({ one: 'one', two: 'two', three: 'three' });
  });

  it('goes on with the next call for an object after one that failed', async () => {
    let fails = true;
    store.rows.before = () => {
      const failing = fails;
      fails = false;
      if (failing) throw ledgerAway();
    };
    const first = refusal(store.applyOrb('a', { spec: { description: 'lost' } }));
    const second = store.applyOrb('a', { by: 'two' });
    expect(await first).to.be.instanceOf(LedgerError);
    expect((await second).spec).to.deep.equal({ orb_id: 'acme.a@1.0.0' });
  });

  it('does calls for different objects at the same time, and shows them in the order of their versions', async () => {
    const rows = hold();
    const seen: string[] = [];
    const stop = new AbortController();
    const running = store
      .reflect({
        kind: KINDS.orb,
        onChange: ({ after, key }) => void seen.push(`${key} ${after?.metadata.resourceVersion}`),
      })
      .run(stop.signal);
    const [first, second] = [store.applyOrb('a'), store.applyOrb('b')];
    await settle();
    expect(rows.waiting()).to.deep.equal(['put Orb acme/a', 'put Orb acme/b']);
    await rows.pass('put Orb acme/b');
    expect(seen).to.deep.equal([]);
    await rows.pass('put Orb acme/a');
    expect(versionOf(await second)).to.equal(versionOf(await first) + 1);
    expect(seen).to.deep.equal([`acme/a ${versionOf(await first)}`, `acme/b ${versionOf(await second)}`]);
    stop.abort();
    await running;
  });

  it('shows what lives in memory no earlier than a row that was begun before, and all the same when that is refused', async () => {
    const rows = hold();
    const first = refusal(store.applyOrb('a'));
    await settle();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'acme', name: 's' } };
    let answered = false;
    const second = store.client.create(KINDS.secret, secret, never).then(() => (answered = true));
    await settle();
    expect(answered).to.equal(false);
    store.rows.after = () => {
      throw ledgerAway();
    };
    await rows.pass('put Orb acme/a');
    expect(await first).to.be.instanceOf(LedgerError);
    expect(await second).to.equal(true);
  });

  it('does nothing for a call that was aborted before, or while it waited for its turn', async () => {
    const reason = new Error('enough');
    expect(await refusal(store.applyOrb('a', { signal: AbortSignal.abort(reason) }))).to.equal(reason);
    const rows = hold();
    const first = store.applyOrb('a');
    const late = new AbortController();
    const second = refusal(store.applyOrb('a', { by: 'two', spec: { description: 'x' }, signal: late.signal }));
    await settle();
    late.abort(reason);
    await rows.pass('put Orb acme/a');
    expect(await second).to.equal(reason);
    expect((await first).spec).to.deep.equal({ orb_id: 'acme.a@1.0.0' });
    expect(store.rows.writes).to.deep.equal(['put Orb acme/a']);
  });

  it('lets a handler of a change write, and shows that after what it was told of', async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'acme', name: 's' } };
    const writing: Promise<unknown>[] = [];
    const orbs = store.reflect({
      kind: KINDS.orb,
      onChange: ({ key }) => {
        writing.push(store.client.apply(KINDS.secret, secret, { fieldManager: 'one' }, never));
        seen.push(key);
      },
    });
    const secrets = store.reflect({ kind: KINDS.secret, onChange: ({ key }) => void seen.push(key) });
    const all = store.reflect({ kind: KINDS.orb, onChange: ({ key }) => void seen.push(`${key} again`) });
    const running = [orbs, secrets, all].map((reflector) => reflector.run(stop.signal));
    await store.applyOrb('a');
    await Promise.all(writing);
    expect(seen).to.deep.equal(['acme/a', 'acme/a again', 'acme/s']);
    stop.abort();
    await Promise.all(running);
  });

  it('refuses what is nested without end, as the API server does', async () => {
    const nested: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(await refusal(store.applyOrb('a', { spec: { nested } }))).to.include({ status: 422, reason: 'Invalid' });
    expect(await store.orb('a')).to.equal(undefined);
  });

  it('puts a value in the place of a map, and a map in the place of a value', async () => {
    const pins = [7, { provider: 'a' }, {}, { mode: 'hard' }];
    for (const pin of pins) {
      const { spec } = await store.applyOrb('a', { spec: { pin }, by: typeof pin });
      expect(spec).to.deep.include({ pin });
      await store.client.delete(KINDS.orb, { namespace: 'acme', name: 'a' }, { uid: await uid('a') }, never);
    }
    await store.applyOrb('a', { spec: { pin: { provider: 'a' } } });
    expect((await store.applyOrb('a', { spec: { pin: 7 }, by: 'two' })).spec).to.deep.include({ pin: 7 });
    const map = await store.applyOrb('a', { spec: { pin: { mode: 'hard' } }, by: 'three' });
    expect(map.spec).to.deep.include({ pin: { mode: 'hard' } });
    expect(await (await store.reopen()).orb('a')).to.deep.equal(map);
  });

  const uid = async (name: string): Promise<string> => (await store.orb(name))?.metadata.uid ?? '';

  it('refuses an update of an object that was made again', async () => {
    await store.applyOrb('a');
    const old = await uid('a');
    await store.deleteOrb('a');
    await store.applyOrb('a');
    const update = store.client.update(KINDS.orb, orbObject('a', { metadata: { uid: old } }), never);
    expect(await refusal(update)).to.include({ status: 409, reason: 'Conflict' });
  });
});
