import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { InitialSync } from '../../../../adapters/kube/initial-sync.ts';
import { anOrb } from '../../../support/kube-objects.ts';

interface Started {
  readonly pass: InitialSync;
  readonly sync: () => Promise<void>;
  /** `isOver`, and whether `over` has resolved. */
  readonly state: () => Promise<readonly [boolean, boolean]>;
}

function start(names: readonly string[]): Started {
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const objects = names.map((name) => anOrb(name));
  const pass = new InitialSync({ synced, store: { list: () => objects } });
  let hasResolved = false;
  const told = async (): Promise<void> => {
    await pass.over;
    hasResolved = true;
  };
  void told();
  return {
    pass,
    sync: async () => {
      resolve();
      await nextTurn();
    },
    state: async () => {
      await nextTurn();
      return [pass.isOver, hasResolved];
    },
  };
}

describe('InitialSync', () => {
  it('is over when the last of the objects was handled', async () => {
    const { pass, sync, state } = start(['a', 'b']);
    pass.took('acme/a');
    expect(await state()).to.deep.equal([false, false]);
    await sync();
    expect(await state()).to.deep.equal([false, false]);
    pass.took('acme/b');
    expect(await state()).to.deep.equal([true, true]);
  });

  it('is over with the LIST when nothing is there, or all of it was handled', async () => {
    for (const names of [[], ['a']]) {
      const { pass, sync, state } = start(names);
      for (const name of names) pass.took(`acme/${name}`);
      await sync();
      expect(await state()).to.deep.equal([true, true]);
    }
  });
});
