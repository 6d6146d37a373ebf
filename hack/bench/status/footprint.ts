import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMicros, peakMb } from '../processes.ts';
import { scrape } from '../scrape.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';
import { withPlatform, type MeasuredPlatform } from './platform.ts';
import { probesOfChart, withProber, type ProberProcess } from './prober-process.ts';

const GOAL = { millicores: 5, mebibytes: 80 };
/** Rounds before the measurement: the first ones load what they need. */
const SETTLING_ROUNDS = 2;
const MEBIBYTE = 1_048_576;
const MEGABYTE = 1_000_000;

/** What the program took while nothing was out. */
export interface Footprint {
  readonly seconds: number;
  readonly rounds: number;
  readonly cpuMs: number;
  readonly peakMebibytes: number;
}

/** Asks as a kubelet does, each time on a connection of its own, until the signal is aborted. */
async function probe({ url }: ProberProcess, { files }: MeasuredPlatform, signal: AbortSignal): Promise<void> {
  const ca = readFileSync(files.ca);
  const ask = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = get(new URL(path, url), { ca, agent: false, signal }, (answer) => {
        answer.resume().once('end', resolve);
        if (answer.statusCode !== 200) reject(new Error(`GET ${path}: ${answer.statusCode ?? 0}`));
      });
      request.once('error', reject);
    });
  const loop = async (path: string, seconds: number): Promise<void> => {
    while (!signal.aborted) {
      await ask(path);
      await delay(seconds * 1000, undefined, { signal });
    }
  };
  await Promise.all(
    probesOfChart().map(({ path, seconds }) =>
      loop(path, seconds).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
    ),
  );
}

async function roundsOf({ metrics }: ProberProcess): Promise<number> {
  const found = await scrape(metrics);
  const failures = found.sum('orb_status_probe_failures_total');
  if (failures > 0) throw new Error(`${failures} checks failed: what is measured is no idle prober`);
  return found.sum('orb_status_probe_duration_seconds_count', { check: 'execute' });
}

async function measured(prober: ProberProcess, { intervalSeconds, rounds }: Settings): Promise<Footprint> {
  const { pid } = prober.started;
  await delay(SETTLING_ROUNDS * intervalSeconds * 1000);
  const [before, roundsBefore, began] = [cpuMicros(pid), await roundsOf(prober), performance.now()];
  await delay(rounds * intervalSeconds * 1000);
  const cpuMs = (cpuMicros(pid) - before) / 1000;
  const seconds = (performance.now() - began) / 1000;
  const peakMebibytes = (peakMb(pid) * MEGABYTE) / MEBIBYTE;
  return { seconds, rounds: (await roundsOf(prober)) - roundsBefore, cpuMs, peakMebibytes };
}

export const measureFootprint = (folder: string, settings: Settings): Promise<Footprint> =>
  withPlatform(folder, settings, (platform) =>
    withProber(platform, { ...settings, folder, isTls: true }, async (prober) => {
      const stopping = new AbortController();
      const probing = probe(prober, platform, stopping.signal);
      try {
        return await Promise.race([
          measured(prober, settings),
          probing.then(() => Promise.reject(new Error('no probes'))),
        ]);
      } finally {
        stopping.abort();
        await probing.catch(() => undefined);
      }
    }),
  );

export const footprintRows = (found: Footprint, { intervalSeconds }: Settings): readonly Row[] => {
  const what = `prober, a round every ${intervalSeconds} s`;
  return [
    row(`${what}: CPU, m`, [found.cpuMs / found.seconds], { digits: 1, atMost: GOAL.millicores }),
    row(`${what}: CPU of a round with what lies between, ms`, [found.cpuMs / found.rounds], { digits: 0 }),
    row(`${what}: largest memory, MiB`, [found.peakMebibytes], { digits: 0, atMost: GOAL.mebibytes }),
  ];
};
