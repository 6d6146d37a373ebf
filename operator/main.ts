import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConnectionError } from '../adapters/kube/connection-flags.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { openLog } from '../adapters/telemetry/logger.ts';
import { stopSignal } from '../adapters/process/stop-signal.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { HELP, parseSettings, type Settings } from './settings.ts';
import { createOperator, type Operator } from './start.ts';
import { SkippedVersion } from './version-guard.ts';

/** The checkout or the installed package: `dist/operator/main.js` lies one folder deeper. */
function rootFolder(): string {
  const parent = resolve(import.meta.dirname, '..');
  return existsSync(join(parent, 'package.json')) ? parent : resolve(parent, '..');
}

function versionOf(root: string): string {
  const value: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}

// EX_CONFIG of sysexits.h: starting again mends nothing.
const MISCONFIGURED = 78;

const POLL_MS = 50;

/** For tests and scripts: there when the caches are filled. */
async function writeReady(
  path: string,
  operator: Operator,
  { identity }: Settings,
  signal: AbortSignal,
): Promise<void> {
  const { probesUrl, metricsUrl } = operator;
  while (operator.ready().length > 0) await systemClock.sleep(POLL_MS, signal);
  const facts = { probes_url: probesUrl, metrics_url: metricsUrl, identity };
  await replacePrivate(path, `${JSON.stringify(facts)}\n`);
}

async function run(settings: Settings): Promise<void> {
  const { logger } = openLog({
    level: settings.logLevel,
    style: process.stderr.isTTY ? 'pretty' : 'json',
    target: process.stderr,
    now: systemClock.now,
  });
  const version = versionOf(rootFolder());
  const operator = await createOperator(settings, {
    clock: systemClock,
    random: Math.random,
    logger,
    env: process.env,
    version,
  });
  const signal = stopSignal();
  logger.info('the operator starts', { version, identity: settings.identity, namespace: settings.namespace });
  const running = operator.run(signal);
  if (settings.readyFile !== undefined) {
    writeReady(settings.readyFile, operator, settings, signal).catch((error: unknown) => {
      if (!signal.aborted) logger.error('the ready file was not written', { error });
    });
  }
  await running;
  logger.info('the operator has ended');
  await logger.flush();
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
    await run(parsed.settings).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(
          `the operator could not start: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        process.exit(error instanceof ConnectionError || error instanceof SkippedVersion ? MISCONFIGURED : 1);
      },
    );
    break;
  default:
    parsed satisfies never;
}
