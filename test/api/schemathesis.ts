import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from '../../hack/bench/clean-end.ts';
import { command } from '../../hack/control-plane/command.ts';
import { withFolderLock } from '../../hack/control-plane/folder-lock.ts';

const VERSION = '4.32.5';
/** What must hold of every answer: it is documented, with its type, headers and body, and is no fault of the server. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** @returns why it can't be run here; undefined: it can */
export async function whyNoPython(): Promise<string | undefined> {
  const { code, stderr } = await command('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']);
  return code === 0 ? undefined : `Python 3.10 or newer with venv is not on this machine ${stderr.trim()}`.trim();
}

/** Path of schemathesis in a virtual environment of its own. @throws Error it can't be installed */
export async function ensureSchemathesis(say: (line: string) => void): Promise<string> {
  const folder = join(homedir(), '.cache/orb-control-plane', `schemathesis-${VERSION}`);
  const [program, done] = [join(folder, 'bin/schemathesis'), join(folder, 'installed')];
  if (existsSync(done)) return program;
  await withFolderLock(folder, say, async () => {
    if (existsSync(done)) return;
    say(`Installing schemathesis ${VERSION} from PyPI …`);
    const steps: readonly (readonly [string, readonly string[]])[] = [
      ['python3', ['-m', 'venv', folder]],
      [join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]],
      ['touch', [done]],
    ];
    for (const [file, args] of steps) {
      const { code, stderr } = await command(file, [...args]);
      if (code !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr.trim()}`);
    }
  });
  return program;
}

export interface ApiFuzz {
  readonly origin: string;
  /** For its configuration and what it writes. */
  readonly folder: string;
  /** Path of its configuration. */
  readonly configuration: string;
  /** Path of bodies that are valid, by operation (hooks.py). */
  readonly bodies: string;
  /** Path of the keys of its callers. */
  readonly keys: string;
  /** Path to which the counts of answers are written. */
  readonly answers: string;
  readonly seed: number;
  /** A regular expression for paths; absent: all. */
  readonly only: string | undefined;
}

/** Runs it with its output in the terminal. @returns its exit code: 0 when every answer is documented */
export async function runSchemathesis(program: string, fuzz: ApiFuzz): Promise<number | null> {
  const { origin, folder, configuration, bodies, keys, answers, seed, only } = fuzz;
  const checked = ['--checks', CHECKS.join(',')];
  const amount = ['--phases', 'coverage,fuzzing', '--seed', String(seed)];
  // A key may send 100 requests a second.
  const manner = [
    '--rate-limit',
    '80/s',
    '--continue-on-failure',
    '--generation-database',
    'none',
    '--warnings',
    'off',
  ];
  const run = ['--config-file', configuration, 'run', `${origin}/openapi.json`];
  const some = only === undefined ? [] : ['--include-path-regex', only];
  const args = [...run, ...checked, ...amount, ...manner, ...some];
  const hooks = join(import.meta.dirname, 'hooks.py');
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: hooks,
    PYTHONDONTWRITEBYTECODE: '1',
    ORB_API_BODIES: bodies,
    ORB_API_KEYS: keys,
    ORB_API_ANSWERS: answers,
  };
  const child = endWithUs(spawn(program, args, { cwd: folder, stdio: 'inherit', env }));
  await once(child, 'close');
  return child.exitCode;
}
