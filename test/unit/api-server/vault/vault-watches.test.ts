import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { settle } from '../../../support/kube/a-reflector.ts';
import { holdLists, startVaults, stopVaults } from '../../../support/kube/a-vault.ts';

describe('VaultWatches (security.md §6.1)', () => {
  afterEach(stopVaults);

  it('asks for each bound Secret by its name, and for no other', async () => {
    const { watches, listed, put, text, changed } = startVaults();
    put('mail', 'value-one');
    put('other', 'value-two');
    watches.bind('acme/support', 'acme', ['mail', 'missing']);
    expect([text('mail'), watches.isSettled]).to.deep.equal(['unread', false]);
    await settle();
    expect([text('mail'), text('missing'), text('other')]).to.deep.equal(['value-one', 'not-found', 'unread']);
    expect(listed).to.deep.equal(['acme metadata.name=mail', 'acme metadata.name=missing']);
    expect([new Set(changed), watches.isSettled]).to.deep.equal([new Set(['acme/support']), true]);
  });

  it('reports a rotated and a deleted Secret', async () => {
    const { client, watches, put, text, changed } = startVaults();
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    changed.length = 0;
    put('mail', 'value-two');
    await settle();
    expect([text('mail'), changed]).to.deep.equal(['value-two', ['acme/support']]);
    client.remove(KINDS.secret, { namespace: 'acme', name: 'mail' });
    await settle();
    expect([text('mail'), changed]).to.deep.equal(['not-found', ['acme/support', 'acme/support']]);
  });

  it('shares one watch between Orbisets, and ends it with the last of them, its values overwritten', async () => {
    const { watches, listed, put } = startVaults();
    put('mail', 'value-one');
    watches.bind('acme/one', 'acme', ['mail']);
    watches.bind('acme/two', 'acme', ['mail']);
    await settle();
    expect(listed).to.have.length(1);
    const read = watches.read('acme', 'mail');
    const bytes = read.kind === 'found' ? read.values.read().get('TOKEN') : undefined;
    watches.bind('acme/one', 'acme', []);
    expect(Buffer.from(bytes ?? []).toString()).to.equal('value-one');
    watches.bind('acme/two', 'acme', []);
    expect([...(bytes ?? [])].every((byte) => byte === 0)).to.equal(true);
    expect(watches.read('acme', 'mail').kind).to.equal('unread');
  });

  it('reads a Secret that was bound while its namespace was being listed', async () => {
    const { client, clock, watches, put, text } = startVaults({ limit: 1 });
    for (const name of ['a', 'b', 'c']) put(name, `value-${name}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    client.after = ({ verb }) => (verb === 'list' ? promise : undefined);
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    watches.bind('acme/two', 'acme', ['c']);
    await settle();
    resolve();
    await settle();
    expect([text('a'), text('c'), watches.isSettled]).to.deep.equal(['value-a', 'unread', false]);
    await clock.advance(1000);
    await settle();
    expect([text('c'), watches.isSettled]).to.deep.equal(['value-c', true]);
  });

  it('tells an Orbiset once of all that the first LIST finds', async () => {
    for (const limit of [200, 0]) {
      const { watches, put, changed } = startVaults({ limit });
      put('mail', 'value-one');
      watches.bind('acme/support', 'acme', ['mail']);
      await settle();
      expect(changed).to.deep.equal(['acme/support']);
    }
  });

  it('keeps only bound Secrets of the pages of a namespace, in pages that fit into memory', async () => {
    const { client, clients, watches, put, text } = startVaults({ limit: 1 });
    for (const name of ['a', 'b', 'unbound']) put(name, `value-${name}`);
    const limits: unknown[] = [];
    const { list } = client;
    Object.assign(client, {
      list: (...args: Parameters<typeof list>) => {
        limits.push(args[1].limit);
        return list(...args);
      },
    });
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    expect([limits, text('a'), text('b')]).to.deep.equal([[50], 'value-a', 'value-b']);
    const [asked] = clients;
    const { items = [] } = (await asked?.list(KINDS.secret, { namespace: 'acme' }, new AbortController().signal)) ?? {};
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
  });

  it('watches namespaces above the limit, where what is not bound never reaches the memory', async () => {
    const { clock, watches, listed, put, text } = startVaults({ limit: 2 });
    for (const name of ['a', 'b', 'c', 'unbound']) put(name, `value-${name}`);
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    watches.bind('acme/two', 'acme', ['c']);
    expect(text('a')).to.equal('value-a'); // the old watch serves until the new one has an answer
    await settle();
    expect(['a', 'b', 'c', 'unbound'].map((name) => text(name))).to.deep.equal([
      'value-a',
      'value-b',
      'value-c',
      'unread',
    ]);
    expect(listed.at(-1)).to.equal('acme *');
    watches.bind('acme/three', 'acme', ['unbound']);
    await settle();
    await clock.advance(1000);
    await settle();
    expect(text('unbound')).to.equal('value-unbound');
    watches.bind('acme/three', 'acme', []);
    expect([text('unbound'), text('a')]).to.deep.equal(['unread', 'value-a']);
  });

  it('never watches a namespace where Roles may be limited to names', async () => {
    const { watches, listed } = startVaults({ limit: 2, mayWatchNamespaces: false });
    watches.bind('acme/one', 'acme', ['a', 'b', 'c', 'd']);
    await settle();
    expect(listed.every((selection) => selection.includes('metadata.name='))).to.equal(true);
    expect(listed).to.have.length(4);
  });

  for (const limit of [200, 0])
    it(`has no answer, and is not settled, before that of the API server (limit ${limit})`, async () => {
      const running = startVaults({ limit });
      const { watches, put, text } = running;
      put('mail', 'value-one');
      const goOn = holdLists(running);
      watches.bind('acme/support', 'acme', ['mail']);
      await settle();
      expect([text('mail'), watches.isSettled]).to.deep.equal(['unread', false]);
      goOn();
      await settle();
      expect([text('mail'), watches.isSettled]).to.deep.equal(['value-one', true]);
    });

  it('reads on, and is not settled, while a further LIST of a namespace has no answer', async () => {
    const running = startVaults({ limit: 0 });
    const { clock, watches, put, text } = running;
    for (const name of ['a', 'b']) put(name, `value-${name}`);
    watches.bind('acme/one', 'acme', ['a']);
    await settle();
    const goOn = holdLists(running);
    watches.bind('acme/two', 'acme', ['b']);
    await settle();
    await clock.advance(1000);
    await settle();
    expect([text('a'), text('b'), watches.isSettled]).to.deep.equal(['value-a', 'unread', false]);
    goOn();
    await settle();
    expect([text('a'), text('b'), watches.isSettled]).to.deep.equal(['value-a', 'value-b', true]);
  });

  it('reads on, and is not settled, while the watch of a single Secret has no answer', async () => {
    const running = startVaults({ limit: 2 });
    const { watches, put, text } = running;
    for (const name of ['a', 'b', 'c']) put(name, `value-${name}`);
    watches.bind('acme/one', 'acme', ['a', 'b', 'c']);
    await settle();
    const goOn = holdLists(running);
    watches.bind('acme/one', 'acme', ['a']);
    await settle();
    expect([text('a'), watches.isSettled]).to.deep.equal(['value-a', false]);
    goOn();
    await settle();
    expect([text('a'), watches.isSettled]).to.deep.equal(['value-a', true]);
  });

  it('is not settled before each namespace is', async () => {
    const running = startVaults();
    const { watches } = running;
    watches.bind('acme/one', 'acme', ['a']);
    await settle();
    const goOn = holdLists(running);
    watches.bind('globex/one', 'globex', ['a']);
    await settle();
    expect(watches.isSettled).to.equal(false);
    goOn();
    await settle();
    expect(watches.isSettled).to.equal(true);
  });

  it('lists no namespace for a Secret that was bound for a moment', async () => {
    const { clock, watches, listed } = startVaults({ limit: 0 });
    watches.bind('acme/one', 'acme', ['a']);
    await settle();
    watches.bind('acme/two', 'acme', ['b']);
    await settle();
    watches.bind('acme/two', 'acme', []);
    await settle();
    await clock.advance(5000);
    await settle();
    expect(listed).to.deep.equal(['acme *']);
  });

  it('reads 200 Secrets one by one, and a whole namespace for one more', async () => {
    const { watches, listed } = startVaults();
    const names = Array.from({ length: 201 }, (_, index) => `s${index}`);
    watches.bind('acme/one', 'acme', names.slice(0, 200));
    await settle();
    expect(listed).to.deep.equal(names.slice(0, 200).map((name) => `acme metadata.name=${name}`));
    watches.bind('acme/two', 'acme', names.slice(200));
    await settle();
    expect(listed.slice(200)).to.deep.equal(['acme *']);
  });
});
