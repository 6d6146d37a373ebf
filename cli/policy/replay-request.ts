import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { parseDuration } from '../../core/time/duration.ts';
import { timeOf } from '../args/time-flag.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';

/** Flags that say which runs are replayed, and how. */
export const REPLAY_FLAGS: readonly Flag[] = [
  { name: 'window', value: 'DURATION', text: 'runs of this long, such as 24h or 7d', fallback: '168h' },
  { name: 'until', value: 'TIME', text: 'end of the window: a time, or 2h for two hours ago (now)' },
  {
    name: 'baseline',
    value: 'WHICH',
    text: 'compare with the decision of then, or with the policies in force (recorded)',
    values: ['recorded', 'current'],
  },
  {
    name: 'stateful',
    value: 'HOW',
    text: 'facts that count: as stored, summed up again without the runs that the policy denies, or both',
    values: ['as_recorded', 'recomputed', 'both'],
  },
  { name: 'orb', value: 'ORB_ID', repeats: true, text: 'only runs of this Orb; * stands for any text' },
  { name: 'orbiset', value: 'NAMESPACE.NAME', repeats: true, text: 'only runs of this Orbiset' },
  { name: 'sample', value: 'PERCENT', text: 'share of the runs (100)' },
  { name: 'seed', value: 'N', text: 'which share: the same number takes the same runs' },
];

function durationOf(args: Args, name: string, fallback: string): number {
  const text = args.one(name) ?? fallback;
  const ms = parseDuration(text);
  if (ms === undefined) throw usage(`--${name} ${printable(text)}: a whole number with s, m, h or d, such as 168h`);
  return ms;
}

function numberOf(args: Args, name: string): number | undefined {
  const text = args.one(name);
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw usage(`--${name} ${printable(text)}: a number`);
  return Number(text);
}

/** The window, filter and ways of a replay, as the API takes them (policy.md §5). @throws Failure (64) */
export function replayRequest(args: Args, io: Pick<Io, 'clock'>): JsonObject {
  const now = io.clock.now();
  const to = timeOf(args, 'until', now) ?? new Date(now).toISOString();
  const from = new Date(Date.parse(to) - durationOf(args, 'window', '168h')).toISOString();
  const [baseline, stateful] = [args.one('baseline'), args.one('stateful')];
  const [percent, seed] = [numberOf(args, 'sample'), numberOf(args, 'seed')];
  const filter = {
    ...(args.has('orb') ? { orb_ids: args.all('orb') } : {}),
    ...(args.has('orbiset') ? { orbisets: args.all('orbiset') } : {}),
  };
  const sample = { ...(percent === undefined ? {} : { percent }), ...(seed === undefined ? {} : { seed }) };
  return {
    window: { from, to },
    ...(baseline === undefined ? {} : { baseline }),
    ...(stateful === undefined ? {} : { stateful }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(Object.keys(sample).length === 0 ? {} : { sample }),
  };
}

/** The longest wait for the result, ms. @throws Failure (64) */
export const waitLimit = (args: Args): number => durationOf(args, 'timeout', '30m');
