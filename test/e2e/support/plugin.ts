import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';

/** `kubectl orb`, as for a user who put the plugin into `PATH`, with its own home folder. */
export interface Plugin {
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CommandResult>;
  /** @throws Error what it printed */
  readonly ok: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;
  /** Makes an API key for one namespace. */
  readonly key: (namespace: string, ...scopes: readonly string[]) => Promise<string>;
  /** Folder for files of the test. */
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

const PROGRAM = resolve(import.meta.dirname, '../../../cli/kubectl-orb.js');

/** Puts the plugin into a folder where kubectl looks for it. */
export async function installPlugin(): Promise<Plugin> {
  const folder = await mkdtemp(join(tmpdir(), 'orb-plugin-'));
  await symlink(PROGRAM, join(folder, 'kubectl-orb'));
  const own = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, ORB_CONFIG_DIR: join(folder, 'config') };
  const run: Plugin['run'] = (args, env = {}) =>
    command('kubectl', ['orb', ...args], { cwd: folder, env: { ...own, ...env } });
  const ok: Plugin['ok'] = async (args, env) => {
    const { code, stdout, stderr } = await run(args, env);
    if (code !== 0) throw new Error(`kubectl orb ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
    return stdout;
  };
  return {
    folder,
    run,
    ok,
    key: async (namespace, ...scopes) => {
      const flags = scopes.flatMap((scope) => ['--scope', scope]);
      return (await ok(['keys', 'create', '--tenant', namespace, ...flags])).trim();
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
