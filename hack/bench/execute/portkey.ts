import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { command } from '../../control-plane/command.ts';
import { withFolderLock } from '../../control-plane/folder-lock.ts';
import { freePort } from '../../control-plane/free-port.ts';
import { untilReady } from '../../control-plane/until-ready.ts';
import { endWithUs, withFolder } from '../clean-end.ts';
import { EXECUTE_BODY } from '../bench-orbs.ts';
import { start } from '../processes.ts';
import type { BenchServer } from '../subjects.ts';

/** The gateway that the platform is compared with. It is no dependency: the benchmark installs it into a cache folder. */
const PACKAGE = '@portkey-ai/gateway';
const VERSION = '1.15.2';
const CACHE = join(homedir(), '.cache/orb-bench');
const FOLDER = join(CACHE, `portkey-${VERSION}`);
const PROGRAM = join(FOLDER, 'node_modules', PACKAGE, 'build/start-server.js');
/** If npm can't reach a registry, it must fail within seconds. The benchmark then runs without Portkey. */
const NPM = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--fetch-timeout=20000'];

export type Portkey = { readonly program: string } | { readonly skipped: string };

/** @returns why it can't be installed; undefined after success */
const install = (): Promise<string | undefined> =>
  withFolder(join(CACHE, 'portkey-'), async (work) => {
    await writeFile(join(work, 'package.json'), '{"private":true}');
    const options = { cwd: work, onStart: endWithUs };
    const { code, stderr } = await command('npm', ['install', ...NPM, `${PACKAGE}@${VERSION}`], options);
    if (code !== 0) return `npm failed: ${/^npm (?:error|ERR!) (.*)$/m.exec(stderr)?.[1] ?? `exit code ${code}`}`;
    await rm(FOLDER, { recursive: true, force: true });
    await rename(work, FOLDER);
    return undefined;
  });

/** Finds the gateway in the cache folder, or installs it there with npm: pinned, without install scripts. */
export async function findPortkey(): Promise<Portkey> {
  let failure: string | undefined;
  if (!existsSync(PROGRAM)) {
    await withFolderLock(CACHE, console.error, async () => {
      if (!existsSync(PROGRAM)) failure = await install();
    });
  }
  return failure === undefined ? { program: PROGRAM } : { skipped: failure };
}

const chatWith = (content: string): string => JSON.stringify({ model: 'bench', messages: [{ role: 'user', content }] });
/** A chat request as long as the request of the platform. */
const CHAT_BODY = chatWith('x'.repeat(EXECUTE_BODY.length - chatWith('').length));

/** @param program from `findPortkey` */
export async function startPortkey(program: string, mock: number, log: number): Promise<BenchServer> {
  const port = await freePort();
  const started = start([program, `--port=${port}`, '--headless'], log);
  const { child } = started;
  child.stdout?.resume();
  const starting = {
    name: 'Portkey',
    ended: () => child.exitCode !== null || child.signalCode !== null,
    tail: () => 'see the log file',
    kill: (signal: NodeJS.Signals) => void started.stop(signal),
  };
  const isUp = (): Promise<true | undefined> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => undefined,
    );
  await untilReady(starting, isUp);
  const headers = {
    authorization: 'Bearer token-of-the-benchmark',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${mock}/v1`,
  };
  return { started, port, path: '/v1/chat/completions', headers, body: CHAT_BODY };
}
