import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeysError } from '../adapters/keys/key-folder.ts';
import { LedgerError } from '../adapters/ledger/port.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { openLog } from '../adapters/telemetry/logger.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { StartError } from './process/start-error.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';
import { HELP, parseSettings, type Settings } from './settings.ts';
import { start, type Running } from './start.ts';

// DNS lookups and self-checks share the pool of libuv; it reads this before its first use (security.md §3.3).
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** The checkout or the installed package: `dist/api-server/main.js` lies one folder deeper. */
function rootFolder(): string {
  const parent = resolve(import.meta.dirname, '..');
  return existsSync(join(parent, 'package.json')) ? parent : resolve(parent, '..');
}

const POLL_MS = 50;
const never = new AbortController().signal;

/** For tests and scripts: there when requests are answered from filled caches. */
async function writeReady(path: string, { url, metricsUrl, missing }: Running): Promise<void> {
  while (missing().length > 0) await systemClock.sleep(POLL_MS, never, { ref: false });
  await replacePrivate(path, `${JSON.stringify({ url, metrics_url: metricsUrl })}\n`);
}

async function run(settings: Settings): Promise<void> {
  const style = process.stderr.isTTY ? 'pretty' : 'json';
  const log = openLog({ level: settings.logLevel, style, target: process.stderr, now: systemClock.now });
  const tools = { root: rootFolder(), clock: systemClock, random: Math.random, log, env: process.env };
  const running = await start(settings, tools);
  stopOnSignal(running.stop);
  log.logger.info('the API answers', { address: running.url, metrics: running.metricsUrl });
  if (settings.readyFile !== undefined) await writeReady(settings.readyFile, running);
}

const KNOWN = [StartError, LedgerError, KeysError];

/** What a person can mend is one line; anything else shows where it happened. */
function explain(error: unknown): void {
  const isKnown = KNOWN.some((kind) => error instanceof kind);
  const text = error instanceof Error ? (isKnown ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(error instanceof StartError ? error.exit : 1);
}

const parsed = parseSettings(process.argv.slice(2), process.env);
switch (parsed.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${parsed.message}\n\n${HELP}`);
    process.exitCode = 64;
    break;
  case 'start':
    await run(parsed.settings).catch(explain);
    break;
  default:
    parsed satisfies never;
}
