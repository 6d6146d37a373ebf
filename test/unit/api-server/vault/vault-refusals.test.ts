import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { settle } from '../../../support/kube/a-reflector.ts';
import { forbidden, holdLists, startVaults, stopVaults, type RunningVaults } from '../../../support/kube/a-vault.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

/** Refuses every LIST and WATCH, and lets time pass until it did so for the first time: a watch lives on till its end. */
async function refuse(
  { client, clock }: RunningVaults,
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

async function pass({ clock }: RunningVaults, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await clock.advance(1000);
}

describe('vaults that may not be read (security.md §6.1)', () => {
  afterEach(stopVaults);

  it('says that a Secret is forbidden, and reads it at once when it is nudged after the RoleBinding', async () => {
    const { client, watches, put, text } = startVaults();
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
  });

  it('reads without a nudge within 5 s of the RoleBinding', async () => {
    const { client, clock, watches, put, text } = startVaults();
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
  });

  it('drops the values of a Secret that may no longer be read, and begins anew when it may', async () => {
    const { client, clock, watches, put, text } = startVaults();
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
  });

  it('keeps what it has read while an API server that starts does not know the roles yet', async () => {
    const running = startVaults();
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
  });

  for (const limit of [200, 0])
    it(`fails closed when the right was taken away for 10 s, and tells the Orbisets (limit ${limit})`, async () => {
      const running = startVaults({ limit });
      const { watches, put, text, changed } = running;
      put('mail', 'value-one');
      watches.bind('acme/support', 'acme', ['mail']);
      await settle();
      changed.length = 0;
      await refuse(running);
      await pass(running, 15);
      expect([text('mail'), new Set(changed)]).to.deep.equal(['forbidden', new Set(['acme/support'])]);
    });

  for (const limit of [200, 0])
    it(`says that it is forbidden until a new answer comes, once the right was taken away (limit ${limit})`, async () => {
      const running = startVaults({ limit });
      const { client, clients, watches, put, text } = running;
      put('mail', 'value-one');
      watches.bind('acme/support', 'acme', ['mail']);
      await settle();
      holdLists(running);
      client.before = ({ verb }) => {
        if (clients.length === 1 && (verb === 'list' || verb === 'watch')) throw forbidden();
      };
      await pass(running, 400);
      expect([clients.length, text('mail')]).to.deep.equal([2, 'forbidden']);
    });

  it('does not take refusals that lie between two ends of the API server for one that lasts', async () => {
    const running = startVaults();
    const { watches, put, text } = running;
    put('mail', 'value-one');
    watches.bind('acme/support', 'acme', ['mail']);
    await settle();
    const refused = await refuse(running, (times) => (times % 2 === 1 ? forbidden() : kubeError(0, '')));
    await pass(running, 120);
    expect([refused.times > 4, text('mail')]).to.deep.equal([true, 'value-one']);
  });

  it('forgets a Secret that was deleted while the API server was away as soon as it is listed', async () => {
    const running = startVaults();
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
  });

  it('goes on with what it has read when a watch of the whole namespace is refused', async () => {
    const { client, watches, put, text } = startVaults({ limit: 2 });
    for (const name of ['a', 'b', 'c']) put(name, `value-${name}`);
    watches.bind('acme/one', 'acme', ['a', 'b']);
    await settle();
    client.before = () => {
      throw forbidden();
    };
    watches.bind('acme/two', 'acme', ['c']);
    await settle();
    expect(['a', 'b', 'c'].map((name) => text(name))).to.deep.equal(['value-a', 'value-b', 'forbidden']);
  });
});
