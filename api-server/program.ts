import { KeysError } from '../adapters/keys/key-folder.ts';
import { LedgerError } from '../adapters/ledger/port.ts';
import { packageRoot } from '../adapters/process/package-root.ts';
import { runProgram, untilStopped, type RunningProgram } from '../adapters/process/run-program.ts';
import { openProcessLog } from '../adapters/telemetry/process-log.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { apiCommandLine, type Settings } from './settings.ts';
import { start } from './start.ts';

// DNS lookups and self-checks share the pool of libuv, which reads this before its first use (security.md §3.3).
process.env['UV_THREADPOOL_SIZE'] ??= '16';

async function startApi(settings: Settings): Promise<RunningProgram> {
  const log = openProcessLog(settings.logLevel);
  const tools = { root: packageRoot(), clock: systemClock, random: Math.random, log, env: process.env };
  const { url, metricsUrl, probesUrl, missing, stop } = await start(settings, tools);
  log.logger.info('the API answers', { address: url, metrics: metricsUrl });
  const probes = probesUrl === undefined ? {} : { probes_url: probesUrl };
  return { facts: { url, metrics_url: metricsUrl, ...probes }, missing, run: untilStopped(stop) };
}

await runProgram(apiCommandLine(process.env), {
  start: startApi,
  readyFile: ({ readyFile }) => readyFile,
  known: [
    [LedgerError, 1],
    [KeysError, 1],
  ],
});
