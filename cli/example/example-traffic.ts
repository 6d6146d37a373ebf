import { objectAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { parseDuration } from '../../core/time/duration.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT, Failure, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable, textAt } from '../io/output.ts';

/** One run as its caller saw it. */
export interface TimedRun {
  readonly ms: number;
  /** The provider that answered; undefined: the run failed. */
  readonly provider: string | undefined;
}

export const TRAFFIC_HEADER = 'time      runs  failed  p50 ms  p95 ms  answered by\n';

/** Nearest rank. @param sorted ascending, not empty */
const rank = (sorted: readonly number[], quantile: number): number =>
  sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0;

function countsOf(runs: readonly TimedRun[]): string {
  const counts = new Map<string, number>();
  for (const { provider } of runs) if (provider !== undefined) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  const names = [...counts.keys()].toSorted();
  return names.map((name) => `${name} ${counts.get(name) ?? 0}`).join(', ') || '–';
}

/**
 * Results that callers saw in a few seconds, on one line.
 * @param now ms since epoch, shown as the time of day (UTC)
 */
export function trafficRow(runs: readonly TimedRun[], now: number): string {
  const sorted = runs.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const failed = runs.filter(({ provider }) => provider === undefined).length;
  const time = new Date(now).toISOString().slice(11, 19);
  const shown = (quantile: number): string => (sorted.length === 0 ? '–' : rank(sorted, quantile).toFixed(0));
  const cells = [
    String(runs.length).padStart(6),
    String(failed).padStart(8),
    shown(0.5).padStart(8),
    shown(0.95).padStart(8),
  ];
  return `${time}${cells.join('')}  ${countsOf(runs)}\n`;
}

const ORB = 'example.lookup@1.0.0';
const PATH = 'orbisets/default/execute';
const BODY = JSON.stringify({ orb_id: ORB, inputs: { word: 'orb' } });
// The example's execution.timeout_ms, plus some time for the network.
const TIMEOUT_MS = 10_000;
const ROW_MS = 5000;
const MAX_RATE = 20;
const MAX_AT_ONCE = 200;

function rateOf(args: Args): number {
  const text = args.one('rate') ?? '2';
  const rate = /^[1-9][0-9]?$/.test(text) ? Number(text) : 0;
  if (rate >= 1 && rate <= MAX_RATE) return rate;
  throw usage(`--rate ${printable(text)}: runs a second, 1 to ${MAX_RATE}`);
}

function spanOf(args: Args): number {
  const text = args.one('for') ?? '5m';
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw usage(`--for ${printable(text)}: a time, such as 90s or 5m`);
}

const providerOf = (reply: Reply): string | undefined =>
  reply.kind === 'problem' ? undefined : textAt(objectAt(reply.value, 'outputs'), 'provider') || undefined;

/** A failed run is counted in its row; an unreachable server ends the traffic. */
async function timedRun(server: Server, io: Io): Promise<TimedRun> {
  const began = io.clock.monotonic();
  const reply = await fetchReply(
    server,
    { method: 'POST', path: PATH, headers: {}, body: BODY, timeoutMs: TIMEOUT_MS },
    io,
  );
  if (reply.kind === 'problem' && textAt(reply.value, 'code') === 'orb-not-found')
    throw new Failure(EXIT.invalid, `there is no ${ORB}: npm start without --resources has it`);
  return { ms: io.clock.monotonic() - began, provider: providerOf(reply) };
}

/** Sends at a steady rate that does not depend on the answers. @throws Failure the API can't be reached */
async function send(server: Server, { rate, spanMs }: { readonly rate: number; readonly spanMs: number }, io: Io) {
  const { clock } = io;
  const lost = new AbortController();
  const signal = AbortSignal.any([io.signal, lost.signal]);
  let runs: TimedRun[] = [];
  const open = new Set<Promise<void>>();
  const start = (): void => {
    const run: Promise<void> = timedRun(server, io)
      .then((timed) => void runs.push(timed))
      .catch((error: unknown) => lost.abort(error))
      .finally(() => void open.delete(run));
    open.add(run);
  };
  const row = (): void => {
    io.out(trafficRow(runs, clock.now()));
    runs = [];
  };
  const began = clock.monotonic();
  let [next, rowAt] = [began, began + ROW_MS];
  while (next < began + spanMs) {
    if (open.size < MAX_AT_ONCE) start();
    next += 1000 / rate;
    await clock.sleep(Math.max(0, next - clock.monotonic()), signal);
    if (clock.monotonic() >= rowAt) row();
    while (rowAt <= clock.monotonic()) rowAt += ROW_MS;
  }
  await Promise.all(open);
  signal.throwIfAborted();
  if (runs.length > 0) row();
}

export const exampleTrafficVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'rate', value: 'N', text: 'runs a second, 1 to 20 (2)' },
    { name: 'for', value: 'DURATION', text: 'how long (5m)' },
    ...SERVER_FLAGS,
  ],
  about: `Runs ${ORB} of npm start. Times are UTC; ends with Ctrl-C too.`,
  examples: ['{orb} example traffic', '{orb} example traffic --rate 5 --for 90s'],
  run: async (args, io) => {
    const options = { rate: rateOf(args), spanMs: spanOf(args) };
    const server = await findServer(args, io);
    io.out(TRAFFIC_HEADER);
    await send(server, options, io);
    return EXIT.ok;
  },
};
