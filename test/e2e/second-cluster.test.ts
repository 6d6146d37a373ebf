import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../hack/control-plane/command.ts';
import { bringUp, isUp, placeOf, takeDown } from '../../hack/node/node.ts';
import { waitFor } from '../support/cluster.ts';
import { place, say } from '../support/e2e/node.ts';

const second = placeOf(`${place.name.slice(0, 10)}two`);

/** Command lines of the machine's processes that name its state. */
async function processes(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(`${second.state}/`));
}

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
  after(() => takeDown(second, { keep: false }, say));

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
    expect(await waitFor(async () => ((await isUp(second)) ? undefined : 'down'))).to.equal('down');
    expect(await bringUp(second, say)).to.equal(true);
    expect(await isUp(second)).to.equal(true);
  });

  it('leaves nothing behind', async () => {
    expect(await processes()).not.to.deep.equal([]);
    expect(await cgroups()).not.to.deep.equal([]);
    await takeDown(second, { keep: false }, say);
    expect(await processes(), 'processes').to.deep.equal([]);
    expect(await cgroups(), 'cgroups').to.deep.equal([]);
    expect(await mounts(), 'mounts').to.deep.equal([]);
    expect(existsSync(second.folder), 'its folder').to.equal(false);
    expect(await isUp(place), 'the first').to.equal(true);
  });
});
