import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { output } from './buildah.ts';

const INSIDE = '/etc/build-authorities.pem';

/** The value of an npm setting here, from any file or variable; undefined: not set. */
async function settingOf(name: string): Promise<string | undefined> {
  const text = (await output('npm', ['config', 'get', name])).trim();
  return text === '' || text === 'null' || text === 'undefined' ? undefined : text;
}

/** CAs that this machine trusts: when a proxy terminates TLS, Node's own list is not enough. */
async function authorities(): Promise<string | undefined> {
  const candidates = [await settingOf('cafile'), process.env['NODE_EXTRA_CA_CERTS']];
  return candidates.find((file) => file !== undefined && existsSync(file));
}

/**
 * Lets npm in a build reach the registry as on this machine, by a build secret and a mount. Neither becomes part of the
 * image.
 * @param folder of the settings file, which may hold credentials; removed by the caller
 * @returns arguments for buildah
 */
export async function npmAccess(folder: string): Promise<readonly string[]> {
  const user = await settingOf('userconfig');
  const own = user !== undefined && existsSync(user) ? await readFile(user, 'utf8') : '';
  const registry = await settingOf('registry');
  const ca = await authorities();
  const lines = own.split('\n').filter((line) => !/^\s*(?:cafile|registry|nodedir)\s*=/.test(line));
  // First, so that the user's own setting wins. Two retries more than npm's default, as one failed download fails the
  // build.
  lines.unshift('fetch-retries=4');
  if (registry !== undefined) lines.push(`registry=${registry}`);
  if (ca !== undefined) lines.push(`cafile=${INSIDE}`);
  const file = join(folder, 'npmrc');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const secret = ['--secret', `id=npmrc,src=${file}`];
  return ca === undefined ? secret : [...secret, '-v', `${ca}:${INSIDE}:ro`];
}
