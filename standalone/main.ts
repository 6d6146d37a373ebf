import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeysError } from '../adapters/keys/key-folder.ts';
import { LedgerError } from '../adapters/ledger/port.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { openLog } from '../adapters/telemetry/logger.ts';
import { VaultFileError } from '../adapters/vault-file/vault-file.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { StartError } from '../api-server/process/start-error.ts';
import { stopOnSignal } from '../api-server/process/stop-on-signal.ts';
import { parseOrbId } from '../core/manifest/orb-id.ts';
import { greeting } from './banner.ts';
import { EXAMPLE } from './example/example.ts';
import { HELP, parseSettings, type Settings } from './settings.ts';
import { start, type Running } from './start.ts';

// DNS lookups and self-checks share the pool of libuv; it reads this before its first use (security.md §3.3).
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** The checkout or the installed package: `dist/standalone/main.js` lies one folder deeper. */
function rootFolder(): string {
  const parent = resolve(import.meta.dirname, '..');
  return existsSync(join(parent, 'package.json')) ? parent : resolve(parent, '..');
}

function hasExample({ platform }: Running): boolean {
  const id = parseOrbId(EXAMPLE.orbId);
  return id.ok && platform.catalog.orb('default', id.value.id)?.compiled !== undefined;
}

async function writeReady(path: string, running: Running): Promise<void> {
  const { url, metricsUrl, key } = running;
  const example = { orbiset: EXAMPLE.orbiset, orb_id: EXAMPLE.orbId, inputs: EXAMPLE.inputs };
  await replacePrivate(path, `${JSON.stringify({ url, metrics_url: metricsUrl, api_key: key.key, ...example })}\n`);
}

function greet(settings: Settings, running: Running, orb: string): void {
  const { platform, key, folder, url, metricsUrl } = running;
  const exceptions = platform.exceptions.map((exception) =>
    exception.kind === 'stub'
      ? `${exception.origin} goes to ${exception.address}:${exception.port}`
      : `${exception.origin} is allowed`,
  );
  const text = greeting({
    url,
    metricsUrl,
    issuer: platform.keys.issuer,
    rootJwk: platform.keys.root.jwk,
    newKey: key.fresh ? key.key : undefined,
    credentials: folder.credentials,
    resources: settings.resources,
    exceptions,
    hasExample: hasExample(running),
    orb,
  });
  process.stdout.write(`${text}\n`);
}

async function run(settings: Settings, root: string): Promise<void> {
  const orb = existsSync(join(root, 'hack')) ? 'npm run -s orb --' : 'orb';
  const style = process.stderr.isTTY ? 'pretty' : 'json';
  const log = openLog({ level: settings.logLevel, style, target: process.stderr, now: systemClock.now });
  const running = await start(settings, { root, clock: systemClock, log, env: process.env, orb });
  stopOnSignal(running.stop);
  greet(settings, running, orb);
  if (settings.readyFile !== undefined) await writeReady(settings.readyFile, running);
}

const KNOWN = [StartError, LedgerError, KeysError, VaultFileError];

/** What a person can mend is one line; anything else shows where it happened. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return KNOWN.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}

function explain(error: unknown): void {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(error instanceof StartError ? error.exit : 1);
}

const root = rootFolder();
const parsed = parseSettings(process.argv.slice(2), join(root, 'manifests'));
switch (parsed.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${parsed.message}\n\n${HELP}`);
    process.exitCode = 64;
    break;
  case 'start':
    await run(parsed.settings, root).catch(explain);
    break;
  default:
    parsed satisfies never;
}
