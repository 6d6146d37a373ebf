import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { command } from '../../hack/control-plane/command.ts';
import { bringUp, isUp, placeOf, takeDown } from '../../hack/node/node.ts';
import { place, say } from '../support/e2e/node.ts';
import { eventually } from './support/patience.ts';

const root = resolve(import.meta.dirname, '../..');
const second = placeOf(`${place.name.slice(0, 10)}two`);

interface Process {
  readonly line: string;
  readonly environment: string;
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** Those of the machine. */
async function allProcesses(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => ({
      line: await read(`/proc/${pid}/cmdline`),
      environment: await read(`/proc/${pid}/environ`),
    })),
  );
}

const isOfSecond = ({ line, environment }: Process): boolean =>
  line.includes(`${second.state}/`) || environment.includes(`E2E_STATE=${second.state}\0`);

/** Command lines of those that name its state, or were started for it: the holder of the namespaces names nothing. */
const processes = async (): Promise<readonly string[]> =>
  (await allProcesses()).filter(isOfSecond).map(({ line }) => line);

/** Whether a script is bringing it up. */
const isStarting = async (): Promise<boolean> =>
  (await allProcesses()).some(
    ({ line, environment }) => line.includes('node/up.sh') && environment.includes(`E2E_STATE=${second.state}\0`),
  );

const mounts = async (): Promise<readonly string[]> =>
  (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(`${second.state}/`));

async function cgroups(): Promise<readonly string[]> {
  const own = `orb-e2e-${second.name}`;
  const found = await readdir('/sys/fs/cgroup', { withFileTypes: true });
  const folders = ['.', ...found.filter((entry) => entry.isDirectory()).map(({ name }) => name)];
  return folders.filter((name) => existsSync(join('/sys/fs/cgroup', name, own)));
}

describe('a second cluster beside the first', () => {
  before(() => bringUp(second, say));
  after(() => takeDown(second, 'nothing', say));

  it('shares nothing with it', async () => {
    expect([await isUp(second), await isUp(place)]).to.deep.equal([true, true]);
    const uid = ['get', 'namespace', 'default', '-o', 'jsonpath={.metadata.uid}'];
    const [first, other] = [await command(place.kubectl, uid), await command(second.kubectl, uid)];
    expect([first.code, other.code]).to.deep.equal([0, 0]);
    expect(first.stdout).not.to.equal(other.stdout);
  });

  it('is not started twice', async () => {
    expect(await bringUp(second, say)).to.equal(false);
  });

  it('starts anew after a crash', async () => {
    process.kill(Number(await readFile(join(second.state, 'holder.pid'), 'utf8')), 'SIGKILL');
    expect(await eventually(async () => ((await isUp(second)) ? undefined : 'down'))).to.equal('down');
    expect(await bringUp(second, say)).to.equal(true);
    expect(await isUp(second)).to.equal(true);
  });

  it('starts anew when its start was killed half-way, whose scripts do not go on', async () => {
    await takeDown(second, 'nothing', say);
    const env = { ...process.env, E2E_NAME: second.name };
    const starter = spawn(process.execPath, [join(root, 'hack/e2e.ts'), 'up'], { env, stdio: 'ignore' });
    expect(await eventually(async () => (await isStarting()) || undefined)).to.equal(true);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    expect(await eventually(async () => !(await isStarting()) || undefined)).to.equal(true);
    expect(existsSync(join(second.state, 'up'))).to.equal(false);
    expect(await bringUp(second, say)).to.equal(true);
    expect(await isUp(second)).to.equal(true);
  });

  it('leaves nothing behind', async () => {
    expect(await processes()).not.to.deep.equal([]);
    expect(await cgroups()).not.to.deep.equal([]);
    await takeDown(second, 'nothing', say);
    expect(await processes(), 'processes').to.deep.equal([]);
    expect(await cgroups(), 'cgroups').to.deep.equal([]);
    expect(await mounts(), 'mounts').to.deep.equal([]);
    expect(existsSync(second.folder), 'its folder').to.equal(false);
    expect(await isUp(place), 'the first').to.equal(true);
  });
});
