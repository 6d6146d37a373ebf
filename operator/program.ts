import { ConnectionError } from '../adapters/kube/connection-flags.ts';
import { KubeError } from '../adapters/kube/port.ts';
import { packageVersion } from '../adapters/process/package-root.ts';
import { runProgram, type RunningProgram } from '../adapters/process/run-program.ts';
import { EX_CONFIG } from '../adapters/process/start-error.ts';
import { openProcessLog } from '../adapters/telemetry/process-log.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { operatorCommandLine, type Settings } from './settings.ts';
import { createOperator } from './start.ts';
import { SkippedVersion } from './version-guard.ts';

async function startOperator(settings: Settings): Promise<RunningProgram> {
  const { identity, namespace } = settings;
  const { logger } = openProcessLog(settings.logLevel);
  const version = packageVersion();
  const tools = { clock: systemClock, random: Math.random, logger, env: process.env, version };
  const operator = await createOperator(settings, tools);
  return {
    facts: { probes_url: operator.probesUrl, metrics_url: operator.metricsUrl, identity },
    missing: operator.ready,
    run: async (signal) => {
      logger.info('the operator starts', { version, identity, namespace });
      await operator.run(signal);
      logger.info('the operator has ended');
      await logger.flush();
    },
  };
}

await runProgram(operatorCommandLine(process.env), {
  start: startOperator,
  readyFile: ({ readyFile }) => readyFile,
  known: [
    [ConnectionError, EX_CONFIG],
    [SkippedVersion, EX_CONFIG],
    [KubeError, 1],
  ],
});
