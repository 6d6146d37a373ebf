import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KeysError } from '../adapters/keys/key-folder.ts';
import { LedgerError } from '../adapters/ledger/port.ts';
import { packageRoot } from '../adapters/process/package-root.ts';
import { runProgram, untilStopped, type RunningProgram } from '../adapters/process/run-program.ts';
import { openProcessLog } from '../adapters/telemetry/process-log.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { VaultFileError } from '../adapters/vault-file/vault-file.ts';
import { parseOrbId } from '../core/manifest/orb-id.ts';
import { greeting } from './banner.ts';
import { EXAMPLE } from './example/example.ts';
import { standaloneCommandLine, type Settings } from './settings.ts';
import { start, type Running } from './start.ts';

// DNS lookups and self-checks share the pool of libuv; it reads this before its first use (security.md §3.3).
process.env['UV_THREADPOOL_SIZE'] ??= '16';

const root = packageRoot();
const orb = existsSync(join(root, 'hack')) ? 'npm run -s orb --' : 'orb';

function hasExample({ platform }: Running): boolean {
  const id = parseOrbId(EXAMPLE.orbId);
  return id.ok && platform.catalog.orb('default', id.value)?.compiled !== undefined;
}

function greet(settings: Settings, running: Running): void {
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

async function startStandalone(settings: Settings): Promise<RunningProgram> {
  const log = openProcessLog(settings.logLevel);
  const running = await start(settings, { root, clock: systemClock, log, env: process.env, orb });
  greet(settings, running);
  const { url, metricsUrl, key } = running;
  const example = { orbiset: EXAMPLE.orbiset, orb_id: EXAMPLE.orbId, inputs: EXAMPLE.inputs };
  return {
    facts: { url, metrics_url: metricsUrl, api_key: key.key, ...example },
    run: untilStopped(running.stop),
  };
}

await runProgram(standaloneCommandLine(join(root, 'manifests')), {
  start: startStandalone,
  readyFile: ({ readyFile }) => readyFile,
  known: [
    [LedgerError, 1],
    [KeysError, 1],
    [VaultFileError, 1],
  ],
});
