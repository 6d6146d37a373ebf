import { openProcessLog } from '../../adapters/telemetry/process-log.ts';
import { runProgram, untilStopped, type RunningProgram } from '../../adapters/process/run-program.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { proberCommandLine, type ProberSettings } from './settings.ts';
import { startProber } from './start.ts';

async function start(settings: ProberSettings): Promise<RunningProgram> {
  const log = openProcessLog(settings.logLevel);
  const { url, providerUrl, metricsUrl, missing, stop } = await startProber(settings, { clock: systemClock, log });
  log.logger.info('the prober of the status answers', { address: url, provider: providerUrl, metrics: metricsUrl });
  return { facts: { url, provider_url: providerUrl, metrics_url: metricsUrl }, missing, run: untilStopped(stop) };
}

await runProgram(proberCommandLine(process.env), { start, readyFile: ({ readyFile }) => readyFile });
