import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import Mocha from 'mocha';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { place } from '../../support/e2e/node.ts';

// CI shows only the end of its log, and later failures seldom show more than the first failures.
const SCENES = 2;
const TIMEOUT_MS = 15_000;
const MOST_COLUMNS = 300;
const FAULT = /^[EWF]\d{4} /;

// The log line of each run, and the last line of each `kubectl exec`.
const IDLE_TALK = /"message":"run"|use of closed network connection/;

/** The last lines of a text that are not noise. */
const endOf = (text: string, count: number): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !IDLE_TALK.test(line))
    .slice(-count)
    .map((line) => `    ${line.slice(0, MOST_COLUMNS)}`);

/** The output of kubectl now, because later hooks remove the test's objects. */
function kubectl(args: readonly string[], count: number): readonly string[] {
  const { stdout, stderr, error } = spawnSync(place.kubectl, ['--request-timeout=10s', ...args], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
  return error === undefined ? endOf(`${stderr}\n${stdout}`, count) : [`    ${error.message}`];
}

function kubelet(count: number): readonly string[] {
  try {
    const log = readFileSync(join(place.state, 'log/kubelet.log'), 'utf8').split('\n');
    return endOf(log.filter((line) => FAULT.test(line)).join('\n'), count);
  } catch (error) {
    return [`    ${String(error)}`];
  }
}

/** Pods, warnings, logs: a CI log must hold them, because the node is gone when the log is read. */
function sceneOf(title: string): readonly string[] {
  const columns =
    'custom-columns=NS:.metadata.namespace,POD:.metadata.name,PHASE:.status.phase,READY:.status.containerStatuses[*].ready,RESTARTS:.status.containerStatuses[*].restartCount,LEAVING:.metadata.deletionTimestamp';
  const platform = ['-n', PLATFORM_NAMESPACE, 'logs', '-l', 'app.kubernetes.io/part-of=orb-platform'];
  const loads = loadavg().map((load) => load.toFixed(1));
  return [
    `=== ${new Date().toISOString()} on "${place.name}": ${title}`,
    `  load of the machine: ${loads.join(', ')}`,
    '  pods',
    ...kubectl(['get', 'pods', '-A', '-o', columns], 25),
    '  warnings',
    ...kubectl(['get', 'events', '-A', '--field-selector', 'type=Warning', '--sort-by=.lastTimestamp'], 12),
    '  logs of the platform',
    ...kubectl([...platform, '--prefix', '--tail=300'], 21),
    '  kubelet',
    ...kubelet(7),
  ];
}

/**
 * Mocha's own reporter, which also prints the state of the cluster at each failure, before the final list of failures.
 */
class Reporter extends Mocha.reporters.Spec {
  readonly #scenes: string[][] = [];
  #failed = 0;

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => {
      this.#failed += 1;
      if (this.#failed <= SCENES) this.#scenes.push([...sceneOf(test.fullTitle())]);
    });
  }

  override epilogue(): void {
    for (const line of this.#scenes.flat()) process.stdout.write(`${line}\n`);
    super.epilogue();
  }
}

// The value that `require` returns.
export { Reporter as 'module.exports' };
