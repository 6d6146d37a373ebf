import { resolve } from 'node:path';
import { expect } from 'chai';
import { command } from '../../hack/control-plane/command.ts';
import { at } from '../../hack/control-plane/json.ts';
import { say } from '../support/e2e/node.ts';
import { machineNetwork } from './support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MIB = 1024 * 1024;

const mib = (bytes: unknown): string => `${(Number(bytes) / MIB).toFixed(1)} MiB`;

describe('a build of the image', function suite() {
  this.timeout(1_200_000);

  it('gives the same digest twice without any cached layer, within the size that our layers may have', async () => {
    const build = [process.execPath, 'hack/image.ts', '--check-reproducible'];
    const { code, stdout, stderr } = await command('nsenter', [machineNetwork(), ...build], { cwd: ROOT });
    expect(code, stderr).to.equal(0);
    const built: unknown = JSON.parse(stdout);
    expect(at(built, 'digest')).to.match(/^sha256:[0-9a-f]{64}$/);
    say(`      own layers ${mib(at(built, 'ownBytes'))}, base ${mib(at(built, 'baseBytes'))}`);
  });
});
