import { expect } from 'chai';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOut } from '../../../../hack/bench/checkout.ts';
import { command } from '../../../../hack/control-plane/command.ts';

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];

describe('the checkout of another commit', () => {
  let folder = '';
  let root = '';

  const git = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await command('git', ['-C', root, ...AUTHOR, ...args]);
    expect(code, stderr).to.equal(0);
  };
  const commit = async (text: string): Promise<void> => {
    writeFileSync(join(root, 'code.txt'), text);
    await git('add', '.');
    await git('commit', '--quiet', '--message', text);
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-checkout-'));
    root = mkdtempSync(join(folder, 'root-'));
    await git('init', '--quiet');
    writeFileSync(join(root, 'package-lock.json'), '{}');
    await commit('first');
    await commit('second');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has the code of that commit, and the packages of this checkout when the lock is the same', async () => {
    const other = join(folder, 'other');
    expect(await checkOut('HEAD~1', other, root)).to.match(/^[0-9a-f]{7,} first$/);
    expect(readFileSync(join(other, 'code.txt'), 'utf8')).to.equal('first');
    expect(readlinkSync(join(other, 'node_modules'))).to.equal(join(root, 'node_modules'));
    expect(readFileSync(join(root, 'code.txt'), 'utf8')).to.equal('second');
  });

  it('refuses a commit that is not there', async () => {
    const refused = await checkOut('nothing', join(folder, 'other'), root).catch((error: unknown) => String(error));
    expect(refused).to.equal('Error: there is no commit "nothing"');
  });
});
