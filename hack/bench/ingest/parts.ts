import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { row, type Row } from '../table.ts';
import { measureBacklog, MOST_WAITING } from './backlog.ts';
import { besideRows, measureBeside } from './beside.ts';
import { wholeEvents, type Part, type Settings } from './command-line.ts';
import { effectRows, measureEffects } from './effects.ts';
import { EVENTS_OF_PAYLOAD, type Events } from './payloads.ts';
import { measureRates, RATES, rateRows } from './rates.ts';
import { withReceiver, type Receiver } from './sources.ts';
import { measureStorm, stormRows } from './storm.ts';
import { StoredPayloads } from './stored-payloads.ts';
import { measureStrangers, strangerRows } from './strangers.ts';

/** What a part found. */
export interface Found {
  readonly rows: readonly Row[];
  /** Everything that was measured, for `--json`. */
  readonly measured: unknown;
}

/** Where a part works. */
export interface Place {
  /** On a disk; its own and empty. */
  readonly folder: string;
  /** Port of the mock provider. */
  readonly mock: number;
  readonly settings: Settings;
}

const HOUR_MS = 3_600_000;
const DRAIN_SECONDS = 60;

/** All of them happened before an hour ago. */
const eventsOf = (count: number): Events => ({
  count: wholeEvents(count),
  until: Math.floor((Date.now() - HOUR_MS) / 1000) * 1000,
});

type Work<T> = (receiver: Receiver, stored: StoredPayloads, events: Events) => Promise<T>;

/** A new platform, and payloads that it has not seen. */
async function withPayloads<T>({ folder, mock }: Place, count: number, work: Work<T>): Promise<T> {
  const events = eventsOf(count);
  mkdirSync(folder, { recursive: true });
  const stored = new StoredPayloads(join(folder, 'payloads'), events);
  try {
    return await withReceiver(folder, mock, (receiver) => work(receiver, stored, events));
  } finally {
    stored.close();
  }
}

function storm(place: Place): Promise<Found> {
  const { events: count, ...rest } = place.settings;
  return withPayloads(place, count, async (receiver, stored, events) => {
    const found = await measureStorm(receiver, { ...rest, events }, stored);
    const effects = measureEffects(receiver.data, events, found.acknowledged);
    const measured = { ...found, acknowledged: found.acknowledged.size, effects };
    return { rows: [...stormRows(found), ...effectRows(effects)], measured };
  });
}

async function backlog({ folder, mock, settings }: Place): Promise<Found> {
  const events = eventsOf(Math.min(settings.events, MOST_WAITING * EVENTS_OF_PAYLOAD));
  const drained = await measureBacklog(folder, mock, events);
  const perSecond = drained.events / drained.seconds;
  const rows = [
    row(`backlog of ${drained.events} events: drained in s`, [drained.seconds], { atMost: DRAIN_SECONDS }),
    row('backlog: events a second', [perSecond], { digits: 0 }),
    row('backlog: CPU of an event, main thread, µs', [drained.threads.main]),
    row('backlog: CPU of an event, ledger thread, µs', [drained.threads.ledger]),
    row('backlog: CPU of an event, mapping thread, µs', [drained.threads.mapping]),
  ];
  return { rows, measured: drained };
}

function rates(place: Place): Promise<Found> {
  const { seconds, copies } = place.settings;
  const requests = RATES.reduce((sum, rate) => sum + rate * seconds, 0);
  const payloads = Math.ceil(requests / copies) + 2 * RATES.length;
  return withPayloads(place, payloads * EVENTS_OF_PAYLOAD, async (receiver, stored) => {
    const steps = await measureRates(receiver, { seconds, copies }, stored);
    return { rows: rateRows(steps), measured: steps };
  });
}

function beside(place: Place): Promise<Found> {
  const { seconds, copies, rounds, beside: rate, executions } = place.settings;
  const payloads = Math.ceil((2 * rounds * seconds * rate) / copies) + 2 * rounds;
  return withPayloads(place, payloads * EVENTS_OF_PAYLOAD, async (receiver, stored) => {
    const settings = { rounds, seconds, executions, rate, copies };
    const found = await measureBeside(receiver, settings, stored);
    return { rows: besideRows(found, settings), measured: found };
  });
}

function strangers(place: Place): Promise<Found> {
  return withPayloads(place, EVENTS_OF_PAYLOAD, async (receiver, stored) => {
    const found = await measureStrangers(receiver, place.settings.strangers, stored);
    return { rows: strangerRows(found), measured: found };
  });
}

const PARTS: Readonly<Record<Part, (place: Place) => Promise<Found>>> = { storm, backlog, rates, beside, strangers };

/** Measures one part. Its folder is removed at the end. */
export async function measurePart(part: Part, place: Place): Promise<Found> {
  const folder = join(place.folder, part);
  try {
    return await PARTS[part]({ ...place, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
