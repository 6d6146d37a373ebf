import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiKeyStore } from '../../../../adapters/api-keys/api-key-store.ts';
import { apiKeyContract, makeKey, START } from './contract.ts';

apiKeyContract('ApiKeyStore', async (clock) => {
  const base = await mkdtemp(join(tmpdir(), 'orb-store-'));
  const folder = join(base, 'api-keys');
  const logged: string[] = [];
  const store = new ApiKeyStore(folder, {
    clock,
    logger: { warn: (message) => void logged.push(message), error: () => undefined },
  });
  await store.open();
  return {
    authenticate: store.authenticate,
    keys: store.keys,
    put: async (name, document) => {
      // Atomically, as `orb keys` does it.
      await writeFile(join(base, 'next'), JSON.stringify(document));
      await rename(join(base, 'next'), join(folder, `${name}.yaml`));
      await store.refresh();
    },
    remove: async (name) => {
      await rm(join(folder, `${name}.yaml`));
      await store.refresh();
    },
    away: async (away) => {
      if (away) {
        await rename(folder, `${folder}.away`);
        await writeFile(folder, 'a file where the folder was');
      } else {
        await rm(folder);
        await rename(`${folder}.away`, folder);
      }
      await store.refresh();
    },
    logged: () => logged,
    close: async () => {
      await store.close();
      await rm(base, { recursive: true, force: true });
    },
  };
});

describe('ApiKeyStore', () => {
  let base = '';
  let folder = '';
  let logged: string[] = [];
  let store: ApiKeyStore;
  /** Runs when something is logged, in the middle of a scan. */
  let meanwhile: (() => void) | undefined;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'orb-store-'));
    folder = join(base, 'api-keys');
    logged = [];
    meanwhile = undefined;
    const log = (message: string): void => {
      logged.push(message);
      meanwhile?.();
    };
    store = new ApiKeyStore(folder, { clock: { now: () => START }, logger: { warn: log, error: log } });
    await store.open();
  });
  afterEach(async () => {
    await store.close();
    await rm(base, { recursive: true, force: true });
  });

  it('reports a broken file once, not at every scan', async () => {
    const { document } = makeKey();
    await writeFile(join(folder, 'one.yaml'), JSON.stringify(document));
    await copyFile(join(folder, 'one.yaml'), join(folder, 'two.yaml'));
    for (const file of await readdir(folder)) await writeFile(join(folder, file), 'kind: Secret');
    await store.refresh();
    await store.refresh();
    const said = 'a file in the folder of API keys holds no key';
    expect(logged).to.deep.equal([said, said]);
  });

  it('knows no key when the folder is gone', async () => {
    const { text, document } = makeKey();
    await writeFile(join(folder, 'one.yaml'), JSON.stringify(document));
    await store.refresh();
    await rm(folder, { recursive: true });
    await store.refresh();
    expect(store.authenticate(`Bearer ${text}`, '127.0.0.1').kind).to.equal('unauthenticated');
  });

  it('sees a change that was made during a scan, when the change asks for a scan', async () => {
    const { text, document } = makeKey();
    await writeFile(join(folder, 'a-key.yaml'), JSON.stringify(document));
    await writeFile(join(folder, 'broken.yaml'), 'kind: Secret');
    let asked: Promise<void> | undefined;
    meanwhile = () => {
      rmSync(join(folder, 'a-key.yaml'));
      asked = store.refresh();
    };
    await store.refresh();
    await asked;
    expect(store.authenticate(`Bearer ${text}`, '127.0.0.1').kind).to.equal('unauthenticated');
  });

  it('reads the other files when one is deleted during a scan', async () => {
    const { text, document } = makeKey();
    await writeFile(join(folder, 'broken.yaml'), 'kind: Secret');
    for (const name of ['deleted.yaml', 'key.yaml']) await writeFile(join(folder, name), JSON.stringify(document));
    meanwhile = () => rmSync(join(folder, 'deleted.yaml'), { force: true });
    await store.refresh();
    const answer = store.authenticate(`Bearer ${text}`, '127.0.0.1');
    expect(answer.kind === 'ok' && answer.caller.standing()).to.equal('valid');
    expect(logged).to.deep.equal(['a file in the folder of API keys holds no key']);
  });

  it('sees another content of the same size in the same file', async () => {
    const [before, after] = [makeKey(), makeKey()];
    const file = join(folder, 'one.yaml');
    const changedAt = async (): Promise<bigint> => (await stat(file, { bigint: true })).ctimeNs;
    await writeFile(file, JSON.stringify(before.document));
    await store.refresh();
    const first = await changedAt();
    // The clock of a file system has steps of a few milliseconds.
    do await writeFile(file, JSON.stringify(after.document));
    while ((await changedAt()) === first);
    await store.refresh();
    const kinds = [before, after].map(({ text }) => store.authenticate(`Bearer ${text}`, '127.0.0.1').kind);
    expect(kinds).to.deep.equal(['unauthenticated', 'ok']);
  });

  it('keeps no process alive by its watch', () => {
    expect(process.getActiveResourcesInfo()).to.not.include('FSEventWrap');
  });

  it('says once that the folder can not be read', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder was');
    await store.refresh();
    await store.refresh();
    expect(logged).to.deep.equal(['the folder of API keys cannot be read']);
  });
});
