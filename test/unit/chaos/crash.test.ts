import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { crashAndRestart } from '../../chaos/rig/crash.ts';
import { parseKubeRequest } from '../../chaos/rig/kube-request.ts';
import type { Action } from '../../chaos/rig/rules.ts';

const point = 'patch orbs n/a #1';
const arrives = { request: parseKubeRequest('PATCH', '/apis/orbs.dev/v1alpha1/namespaces/n/orbs/a'), point };

/** What the proxy does with the write. */
async function act(action: Action | undefined): Promise<void> {
  if (action?.kind !== 'kill') throw new Error('the write does not kill');
  await action.kill();
}

/** A crash whose process goes and comes back when the test says so. */
function scene() {
  const [gone, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const calls: string[] = [];
  const { rule, restarted } = crashAndRestart(point, 'after-send', {
    kill: () => {
      calls.push('kill');
      return gone.promise;
    },
    restart: () => {
      calls.push('restart');
      return started.promise;
    },
  });
  const state = async (): Promise<'settled' | 'waits'> => {
    await turn();
    return Promise.race([restarted().then(() => 'settled' as const), turn('waits' as const)]);
  };
  return { rule, restarted, state, calls, gone, started };
}

describe('a crash and the next start', () => {
  it('is not waited for before its write comes', async () => {
    const { rule, state } = scene();
    expect(rule({ ...arrives, point: 'patch orbs n/a #2' })).to.equal(undefined);
    expect(await state()).to.equal('settled');
  });

  it('is waited for from the arrival of the write, before the process is killed, until it was started again', async () => {
    const { rule, state, calls, gone, started } = scene();
    const action = rule(arrives);
    expect([await state(), calls]).to.deep.equal(['waits', []]);
    const killed = act(action);
    expect([await state(), calls]).to.deep.equal(['waits', ['kill']]);
    gone.resolve();
    await killed;
    expect([await state(), calls]).to.deep.equal(['waits', ['kill', 'restart']]);
    started.resolve();
    expect(await state()).to.equal('settled');
    expect(rule(arrives), 'a second crash').to.equal(undefined);
  });

  it('fails for the one who waits when the process does not start', async () => {
    const { rule, restarted, gone, started } = scene();
    const killed = act(rule(arrives));
    gone.resolve();
    await killed;
    started.reject(new Error('it does not lead'));
    const told = await restarted().catch((error: unknown) => String(error));
    expect(told).to.equal('Error: it does not lead');
  });
});
