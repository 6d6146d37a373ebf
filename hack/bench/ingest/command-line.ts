import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { EVENTS_OF_PAYLOAD } from './payloads.ts';

const PARTS = ['storm', 'backlog', 'rates', 'beside', 'strangers'] as const;
export type Part = (typeof PARTS)[number];

export const HELP = `npm run bench ingest [-- OPTIONS]

Measures the ingestion of webhooks by a platform that is started as npm start does. Payloads have 100 events each and the
signature of Grafana. The parts, in this order:

  storm      every delivery is sent several times, in random order, while the ledger is away for a minute. Then the ledger
             is compared with what was acknowledged
  backlog    a full queue, as an outage of the worker leaves it, is mapped after a start
  rates      the rate is raised until the 99th percentile of answers exceeds 100 ms
  beside     executions alone and beside deliveries
  strangers  the time of answers to a wrong source, to a wrong signature and to a good delivery

The exit code is 1 when a goal is missed. Absolute times of a busy machine say little.

  --events N         events of the storm, and of the backlog up to what one queue holds (1000000)
  --copies N         times that each delivery is sent (10)
  --rate N           requests of the storm in a second; a process takes 1000 (900)
  --away SECONDS     how long the ledger is away (60)
  --executions N     executions a second (200)
  --beside N         deliveries a second beside executions (200)
  --rounds N         rounds of executions (3)
  --seconds SECONDS  of each load of rates and beside (8)
  --strangers N      requests of strangers (3000)
  --part NAME        only this part; may be repeated
  --folder FOLDER    for the ledger, on a disk (${tmpdir()}); 1 000 000 events take 3 GB
  --json FILE        saves all measurements
  --help             this text
`;

const OPTIONS = {
  events: { type: 'string', default: '1000000' },
  copies: { type: 'string', default: '10' },
  rate: { type: 'string', default: '900' },
  away: { type: 'string', default: '60' },
  executions: { type: 'string', default: '200' },
  beside: { type: 'string', default: '200' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '8' },
  strangers: { type: 'string', default: '3000' },
  part: { type: 'string', multiple: true },
  folder: { type: 'string', default: tmpdir() },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** How much is measured. */
export interface Settings {
  /** Whole payloads. */
  readonly events: number;
  readonly copies: number;
  readonly rate: number;
  readonly awaySeconds: number;
  readonly executions: number;
  readonly beside: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly strangers: number;
}

/** What was asked for. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'measure';
      readonly settings: Settings;
      readonly parts: readonly Part[];
      readonly folder: string;
      readonly json: string | undefined;
    };

/** A problem has four events, in different payloads. */
const LEAST_EVENTS = 4 * EVENTS_OF_PAYLOAD;

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
  return value;
}

const wholeOf = (name: string, text: string, least: number): number => Math.floor(numberOf(name, text, least));

function partOf(name: string): Part {
  const part = PARTS.find((one) => one === name);
  if (part === undefined) throw new Error(`--part takes one of ${PARTS.join(', ')}, not "${name}"`);
  return part;
}

/** The next number of events that has whole payloads and whole problems. */
export const wholeEvents = (events: number): number => Math.ceil(events / LEAST_EVENTS) * LEAST_EVENTS;

/** @throws Error an unknown option, or a value that does not fit */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { kind: 'help' };
  const settings: Settings = {
    events: wholeEvents(wholeOf('events', values.events, LEAST_EVENTS)),
    copies: wholeOf('copies', values.copies, 1),
    rate: numberOf('rate', values.rate, 1),
    awaySeconds: numberOf('away', values.away, 0),
    executions: numberOf('executions', values.executions, 1),
    beside: numberOf('beside', values.beside, 1),
    rounds: wholeOf('rounds', values.rounds, 1),
    seconds: numberOf('seconds', values.seconds, 0.1),
    strangers: wholeOf('strangers', values.strangers, 100),
  };
  const wanted = values.part?.map(partOf) ?? PARTS;
  const { folder, json } = values;
  return { kind: 'measure', settings, parts: PARTS.filter((part) => wanted.includes(part)), folder, json };
}
