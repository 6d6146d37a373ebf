import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../control-plane/free-port.ts';
import { startProcess } from '../control-plane/process.ts';
import { ensurePrometheus } from './binaries.ts';
import { untilReady } from '../control-plane/until-ready.ts';

/** A Prometheus on loopback with its own temporary folder. */
export interface RunningPrometheus {
  readonly url: string;
  readonly folder: string;
  /** Reads its configuration and its rules again, with other targets (`host:port`). */
  readonly reload: (targets: readonly string[]) => Promise<void>;
  /** Stops it and removes its folder. */
  readonly stop: () => Promise<void>;
}

export interface PrometheusOptions {
  /** `host:port` of each target that it scrapes at `/metrics`. */
  readonly targets: readonly string[];
  readonly rulesFile?: string;
  /** `1s` */
  readonly scrapeInterval: string;
  /** Blocks of old samples to start with; made by promtool into this folder, which the caller removes. */
  readonly dataFolder?: string;
  /** Port to listen on; default: a free port. */
  readonly port?: number;
}

// JSON is YAML. // Prometheus delays the first scrape by up to one interval, by a hash of the target; it has no option
// against this.
const configuration = (targets: readonly string[], { rulesFile, scrapeInterval }: PrometheusOptions): string =>
  JSON.stringify({
    global: { scrape_interval: scrapeInterval, scrape_timeout: scrapeInterval, evaluation_interval: scrapeInterval },
    rule_files: rulesFile === undefined ? [] : [rulesFile],
    scrape_configs: [{ job_name: 'orb-api', static_configs: [{ targets }] }],
  });

const answers = (url: string): Promise<true | undefined> =>
  fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => (ok ? true : undefined),
    () => undefined,
  );

/**
 * Starts Prometheus and waits until it answers.
 * @throws Error it did not start; the message has the end of its output
 */
export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const { prometheus } = await ensurePrometheus();
  const folder = await mkdtemp(join(tmpdir(), 'orb-prometheus-'));
  const config = join(folder, 'prometheus.yaml');
  await writeFile(config, configuration(options.targets, options));
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${options.dataFolder ?? join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-lifecycle',
    '--log.level=warn',
  ];
  const process = startProcess({ name: 'prometheus', file: prometheus, args, log: join(folder, 'prometheus.log') });
  const stop = async (): Promise<void> => {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const reload = async (targets: readonly string[]): Promise<void> => {
    await writeFile(config, configuration(targets, options));
    const { ok, status } = await fetch(`${url}/-/reload`, { method: 'POST' });
    if (!ok) throw new Error(`Prometheus refused its configuration (${status}):\n${process.tail()}`);
  };
  try {
    await untilReady(process, () => answers(url));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, folder, reload, stop };
}
