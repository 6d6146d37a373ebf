import { join } from 'node:path';
import { command } from '../control-plane/command.ts';

/** A text in the format of this repository's formatter, so that `npm run format:check` passes. */
export async function formatted(root: string, path: string, source: string): Promise<string> {
  const oxfmt = join(root, 'node_modules/.bin/oxfmt');
  const { code, stdout, stderr } = await command(oxfmt, [`--stdin-filepath=${path}`], { cwd: root, input: source });
  if (code !== 0) throw new Error(`oxfmt could not format ${path}:\n${stderr}`);
  return stdout;
}
