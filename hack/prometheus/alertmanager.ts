import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../control-plane/free-port.ts';
import { startProcess } from '../control-plane/process.ts';
import { untilReady } from '../control-plane/until-ready.ts';
import { ensureAlertmanager } from './binaries.ts';

/** An Alertmanager on loopback with its own temporary folder. */
export interface RunningAlertmanager {
  readonly url: string;
  /** Stops it and removes its folder. */
  readonly stop: () => Promise<void>;
  readonly tail: () => string;
}

/** Where it sends what it is told, as soon as it may. */
interface Webhook {
  readonly url: string;
  readonly bearer: string;
}

// JSON is YAML.
const configuration = ({ url, bearer }: Webhook): string =>
  JSON.stringify({
    route: { receiver: 'orb', group_by: ['alertname'], group_wait: '0s', group_interval: '1s', repeat_interval: '1h' },
    receivers: [
      {
        name: 'orb',
        webhook_configs: [
          { url, send_resolved: true, http_config: { authorization: { type: 'Bearer', credentials: bearer } } },
        ],
      },
    ],
  });

const answers = (url: string): Promise<true | undefined> =>
  fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => (ok ? true : undefined),
    () => undefined,
  );

/**
 * Starts Alertmanager and waits until it answers.
 * @throws Error it did not start; the message has the end of its output
 */
export async function startAlertmanager(webhook: Webhook): Promise<RunningAlertmanager> {
  const file = await ensureAlertmanager();
  const folder = await mkdtemp(join(tmpdir(), 'orb-alertmanager-'));
  const config = join(folder, 'alertmanager.yaml');
  await writeFile(config, configuration(webhook));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${config}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    // Empty: it has no peers, and opens no other port.
    '--cluster.listen-address=',
  ];
  const log = join(folder, 'alertmanager.log');
  const process = startProcess({ name: 'alertmanager', file, args, log, cwd: dirname(file) });
  const stop = async (): Promise<void> => {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(process, () => answers(url));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop, tail: process.tail };
}
