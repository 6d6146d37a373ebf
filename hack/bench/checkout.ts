import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../control-plane/command.ts';
import { endWithUs } from './clean-end.ts';
import { ROOT } from './subjects.ts';

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await command('git', ['-C', folder, ...args], { onStart: endWithUs });
  if (code !== 0) throw new Error(stderr.trim());
  return stdout.trim();
}

const lockOf = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');

/**
 * Checks out another commit of this repository, with its packages: those of this checkout when both have the same
 * package-lock.json, else npm installs them.
 * @param folder does not exist yet; the caller removes it
 * @param root the repository
 * @returns the commit and its subject, in one line
 * @throws Error there is no such commit, or npm failed
 */
export async function checkOut(commit: string, folder: string, root = ROOT): Promise<string> {
  const id = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`).catch(() => {
    throw new Error(`there is no commit "${commit}"`);
  });
  await git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, folder);
  await git(folder, 'checkout', '--quiet', '--detach', id);
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else {
    const { code, stderr } = await command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      onStart: endWithUs,
    });
    if (code !== 0) throw new Error(`npm ci of ${commit} failed:\n${stderr.trim()}`);
  }
  return git(folder, 'log', '-1', '--format=%h %s');
}
