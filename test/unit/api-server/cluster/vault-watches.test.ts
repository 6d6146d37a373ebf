import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createReflector } from '../../../../adapters/kube/reflector.ts';
import { VaultWatches } from '../../../../api-server/cluster/vault-watches.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { settle } from '../../../support/kube/a-reflector.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { noteLog, noteMetrics } from '../../../support/kube/runtime-notes.ts';

interface Running {
  readonly client: FakeKubeClient;
  readonly clock: FakeClock;
  readonly watches: VaultWatches;
  readonly changed: string[];
  /** Selections that were listed, in order. */
  readonly listed: readonly string[];
  readonly put: (name: string, value: string, namespace?: string) => void;
  readonly text: (name: string, namespace?: string) => string;
}

const forbidden = (): Error => kubeError(403, 'Forbidden');

function start({ limit = 200, mayWatchNamespaces = true } = {}): Running {
  const client = createFakeKubeClient();
  const clock = createFakeClock(0);
  const changed: string[] = [];
  const listed: string[] = [];
  const { logger } = noteLog();
  const watches = new VaultWatches({
    client,
    logger,
    clock,
    mayWatchNamespaces,
    limit,
    reflect: (about) => {
      const { namespace = '', fieldSelector = '*' } = about.selection;
      listed.push(`${namespace} ${fieldSelector}`);
      const { metrics } = noteMetrics();
      return createReflector({ ...about, kind: KINDS.secret, clock, random: () => 0.5, logger, metrics, freeze: true });
    },
    onChange: (orbisets) => void changed.push(...orbisets),
  });
  const put: Running['put'] = (name, value, namespace = 'acme') => {
    const data = { TOKEN: Buffer.from(value).toString('base64') };
    client.put(KINDS.secret, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
  };
  const text: Running['text'] = (name, namespace = 'acme') => {
    const read = watches.read(namespace, name);
    return read.kind === 'found' ? Buffer.from(read.values.read().get('TOKEN') ?? []).toString() : read.kind;
  };
  return { client, clock, watches, changed, listed, put, text };
}

/** Refuses every LIST and WATCH, and lets time pass until it did so for the first time: a watch lives on till its end. */
async function refuse(
  { client, clock }: Running,
  error: (times: number) => Error = forbidden,
): Promise<{ times: number }> {
  const refused = { times: 0 };
  client.before = ({ verb }) => {
    if (verb !== 'list' && verb !== 'watch') return;
    refused.times += 1;
    throw error(refused.times);
  };
  while (refused.times === 0 && clock.monotonic() < 600_000) await clock.advance(1000);
  return refused;
}

async function pass({ clock }: Running, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await clock.advance(1000);
}

describe('VaultWatches (security.md §6.1)', () => {
  it('asks for each bound Secret by its name, and for no other', async () => {
    const { watches, listed, put, text, changed } = start();
    put('mail', 'value-one');
    put('other', 'value-two');
    watches.bind('acme/support', 'acme', ['mail', 'missing']);
    expect([text('mail'), watches.isSettled]).to.deep.equal(['unread', false]);
    await settle();
    expect([text('mail'), text('missing'), text('other')]).to.deep.equal(['value-one', 'not-found', 'unread']);
    expect(listed).to.deep.equal(['acme metadata.name=mail', 'acme metadata.name=missing']);
    expect([new Set(changed), watches.isSettled]).to.deep.equal([new Set(['acme/support']), true]);
    watches.stop();
  });

  it('tells of a rotated and of a deleted Secret', async () => {
    const { client, watches, put, text, changed } = start();
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
    watches.stop();
  });

  it('shares one watch between Orbisets, and ends it with the last of them, its values overwritten', async () => {
    const { watches, listed, put } = start();
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

  it('says that a Secret is forbidden, and reads it at once when it is nudged after the RoleBinding', async () => {
    const { client, watches, put, text } = start();
    put('mail', 'value-one');
    client.before = ({ verb }) => {
      if (verb === 'list') throw kubeError(403, 'Forbidden');
    };
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    expect([text('mail'), watches.isSettled]).to.deep.equal(['forbidden', true]);
    client.before = () => undefined;
    watches.nudge('elsewhere');
    await settle();
    expect(text('mail')).to.equal('forbidden');
    watches.nudge('acme');
    await settle();
    expect(text('mail')).to.equal('value-one');
    watches.stop();
  });

  it('reads without a nudge within 5 s of the RoleBinding', async () => {
    const { client, clock, watches, put, text } = start();
    put('mail', 'value-one');
    client.before = ({ verb }) => {
      if (verb === 'list') throw kubeError(403, 'Forbidden');
    };
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    for (let second = 0; second < 60; second += 1) await clock.advance(1000);
    client.before = () => undefined;
    await clock.advance(5000);
    await settle();
    expect(text('mail')).to.equal('value-one');
    watches.stop();
  });

  it('drops the values of a Secret that may no longer be read, and begins anew when it may', async () => {
    const { client, clock, watches, put, text } = start();
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    const read = watches.read('acme', 'mail');
    const bytes = read.kind === 'found' ? read.values.read().get('TOKEN') : undefined;
    client.before = ({ verb }) => {
      if (verb === 'list' || verb === 'watch') throw kubeError(403, 'Forbidden');
    };
    for (let minute = 0; minute < 12; minute += 1) await clock.advance(60_000);
    await settle();
    expect([text('mail'), [...(bytes ?? [])].every((byte) => byte === 0)]).to.deep.equal(['forbidden', true]);
    client.before = () => undefined;
    await clock.advance(31_000);
    await settle();
    expect(text('mail')).to.equal('value-one');
    watches.stop();
  });

  it('keeps what it has read while an API server that starts does not know the roles yet', async () => {
    const running = start();
    const { client, watches, put, text, changed } = running;
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    changed.length = 0;
    const refused = await refuse(running);
    await pass(running, 9);
    expect([refused.times > 2, text('mail'), changed]).to.deep.equal([true, 'value-one', []]);
    client.before = () => undefined;
    await pass(running, 6);
    put('mail', 'value-two');
    await settle();
    expect([text('mail'), changed]).to.deep.equal(['value-two', ['acme/support']]);
    watches.stop();
  });

  for (const limit of [200, 0])
    it(`fails closed when the right was taken away for 10 s, and tells the Orbisets (limit ${limit})`, async () => {
      const running = start({ limit });
      const { watches, put, text, changed } = running;
      put('mail', 'value-one');
      watches.bind('acme/support', 'acme', ['mail']);
      await settle();
      changed.length = 0;
      await refuse(running);
      await pass(running, 15);
      expect([text('mail'), new Set(changed)]).to.deep.equal(['forbidden', new Set(['acme/support'])]);
      watches.stop();
    });

  it('does not take refusals that lie between two ends of the API server for one that lasts', async () => {
    const running = start();
    const { watches, put, text } = running;
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    const refused = await refuse(running, (times) => (times % 2 === 1 ? forbidden() : kubeError(0, '')));
    await pass(running, 120);
    expect([refused.times > 4, text('mail')]).to.deep.equal([true, 'value-one']);
    watches.stop();
  });

  it('forgets a Secret that was deleted while the API server was away as soon as it is listed', async () => {
    const running = start();
    const { client, watches, put, text, changed } = running;
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    changed.length = 0;
    await refuse(running);
    client.remove(KINDS.secret, { namespace: 'acme', name: 'mail' });
    client.before = () => undefined;
    await pass(running, 5);
    expect([text('mail'), changed]).to.deep.equal(['not-found', ['acme/support']]);
    watches.stop();
  });

  it('keeps only bound Secrets of the pages of a namespace, in pages that fit into memory', async () => {
    const { client, watches, put, text } = start({ limit: 1 });
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
    watches.stop();
  });

  it('watches namespaces above the limit, where what is not bound never reaches the memory', async () => {
    const { clock, watches, listed, put, text } = start({ limit: 2 });
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
    watches.stop();
  });

  it('never watches a namespace where Roles may be limited to names', async () => {
    const { watches, listed } = start({ limit: 2, mayWatchNamespaces: false });
    watches.bind('acme/one', 'acme', ['a', 'b', 'c', 'd']);
    await settle();
    expect(listed.every((selection) => selection.includes('metadata.name='))).to.equal(true);
    expect(listed).to.have.length(4);
    watches.stop();
  });
});
