import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { preparedData } from '../../../../hack/control-plane/prepared.ts';

const soon = (): Promise<unknown> => delay(5);
const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'etcd'];

/** A control plane whose etcd writes its files when it stops. */
interface FakePlane {
  readonly folder: string;
  readonly store: (text: string) => void;
  readonly stop: (options?: { readonly keep?: boolean }) => Promise<void>;
}
type Install = (plane: FakePlane) => Promise<void>;

const storesSlowly: Install = async (plane) => {
  await soon();
  plane.store('slow');
};
const fails: Install = () => Promise.reject(new Error('refused'));

describe('prepared data of etcd', () => {
  let folder = '';
  let starts = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-prepared-'));
    starts = 0;
    mkdirSync(join(folder, 'bin'));
    for (const name of PROGRAMS) {
      writeFileSync(join(folder, 'bin', name), '');
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    mkdirSync(join(folder, 'input'));
    writeFileSync(join(folder, 'input/definition.yaml'), 'first');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (): Promise<FakePlane> => {
    starts += 1;
    const own = join(folder, `plane-${starts}`);
    mkdirSync(join(own, 'etcd'), { recursive: true });
    let stored = '';
    return Promise.resolve({
      folder: own,
      store: (text) => void (stored = text),
      stop: ({ keep = false } = {}) => {
        if (keep) writeFileSync(join(own, 'etcd/db'), stored);
        else rmSync(own, { recursive: true });
        return Promise.resolve();
      },
    });
  };
  const cache = (): string => join(folder, 'cache');
  const storesItsNumber: Install = (plane) => Promise.resolve(plane.store(`by ${starts}`));
  const prepared = async (install = storesItsNumber): Promise<string> => {
    const env = { KUBEBUILDER_ASSETS: join(folder, 'bin'), ORB_K8S_VERSION: '1.36' };
    const files = await preparedData(
      { name: 'platform', inputs: [join(folder, 'input')], install },
      { folder: cache(), start, env, say: () => undefined, wait: soon },
    );
    return files.map(({ path, content }) => `${path}: ${content.toString()}`).join();
  };
  const kept = (): string => {
    const [file, ...more] = readdirSync(cache());
    if (file === undefined || more.length > 0) throw new Error(`in the cache: ${String([file, ...more])}`);
    return join(cache(), file);
  };

  it('is made once, and its control plane is removed', async () => {
    expect([await prepared(), await prepared(), starts]).to.deep.equal(['db: by 1', 'db: by 1', 1]);
    expect(existsSync(join(folder, 'plane-1'))).to.equal(false);
  });

  it('is made anew when an input changes, and replaces the old', async () => {
    await prepared();
    const old = kept();
    writeFileSync(join(folder, 'input/definition.yaml'), 'second');
    expect(await prepared()).to.equal('db: by 2');
    expect(kept()).not.to.equal(old);
  });

  it('is made anew when it is damaged', async () => {
    await prepared();
    writeFileSync(kept(), 'half');
    expect([await prepared(), await prepared(), starts]).to.deep.equal(['db: by 2', 'db: by 2', 2]);
  });

  it('is made by one of many who want it at once', async () => {
    const made = await Promise.all([storesSlowly, storesSlowly, storesSlowly].map((install) => prepared(install)));
    expect(made).to.deep.equal(['db: slow', 'db: slow', 'db: slow']);
    expect(starts).to.equal(1);
  });

  it('is not kept when the installation fails, and leaves nothing', async () => {
    const told = await prepared(fails).catch((error: unknown) => String(error));
    expect([told, existsSync(join(folder, 'plane-1')), readdirSync(cache())]).to.deep.equal([
      'Error: refused',
      false,
      [],
    ]);
    expect(await prepared()).to.equal('db: by 2');
  });
});
