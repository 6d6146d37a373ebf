import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A text in the format of this repository's formatter, so that `npm run format:check` passes. */
export async function formatted(root: string, path: string, source: string): Promise<string> {
  const oxfmt = join(root, 'node_modules/.bin/oxfmt');
  const child = spawn(oxfmt, [`--stdin-filepath=${path}`], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(source);
  const [result] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`oxfmt could not format ${path}`);
  return result;
}
