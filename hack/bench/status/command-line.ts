import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

const PARTS = ['pages', 'prober', 'canary'] as const;
export type Part = (typeof PARTS)[number];

export const HELP = `npm run bench status [-- OPTIONS]

Measures the status page and who makes it. The parts, in this order:

  pages   GET /status and GET /livez at a rate, in turns, of the API and of the prober
  prober  CPU and memory of the program status-prober, started as the chart does, over TLS, while nothing is out. The
          requests of a kubelet come to it too
  canary  bytes that a round of checks adds to the ledger

The exit code is 1 when a goal is missed. Absolute times of a busy machine say little; the ratio to /livez says more.

  --rate N             requests of a page in a second (200)
  --seconds SECONDS    of each load of pages (20)
  --turns N            turns of /status and /livez, each A B B A (1)
  --interval DURATION  between rounds of the prober, s (30)
  --rounds N           rounds of the prober that are measured (6)
  --checks N           rounds of the canary that are measured (200)
  --sources            run the sources; default: what is compiled, as the image holds it
  --part NAME          only this part; may be repeated
  --folder FOLDER      for the ledgers (${tmpdir()})
  --json FILE          saves all measurements
  --help               this text
`;

const OPTIONS = {
  rate: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '20' },
  turns: { type: 'string', default: '1' },
  interval: { type: 'string', default: '30' },
  rounds: { type: 'string', default: '6' },
  checks: { type: 'string', default: '200' },
  sources: { type: 'boolean', default: false },
  part: { type: 'string', multiple: true },
  folder: { type: 'string', default: tmpdir() },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** How much is measured. */
export interface Settings {
  readonly rate: number;
  readonly seconds: number;
  readonly turns: number;
  readonly intervalSeconds: number;
  readonly rounds: number;
  readonly checks: number;
  readonly isCompiled: boolean;
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

const LEAST_INTERVAL = 10;

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
  return value;
}

const wholeOf = (name: string, text: string): number => Math.floor(numberOf(name, text, 1));

function partOf(name: string): Part {
  const part = PARTS.find((one) => one === name);
  if (part === undefined) throw new Error(`--part takes one of ${PARTS.join(', ')}, not "${name}"`);
  return part;
}

/** @throws Error an unknown option, or a value that does not fit */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { kind: 'help' };
  const settings: Settings = {
    rate: numberOf('rate', values.rate, 1),
    seconds: numberOf('seconds', values.seconds, 0.1),
    turns: wholeOf('turns', values.turns),
    intervalSeconds: numberOf('interval', values.interval, LEAST_INTERVAL),
    rounds: wholeOf('rounds', values.rounds),
    checks: wholeOf('checks', values.checks),
    isCompiled: !values.sources,
  };
  const wanted = values.part?.map(partOf) ?? PARTS;
  const { folder, json } = values;
  return { kind: 'measure', settings, parts: PARTS.filter((part) => wanted.includes(part)), folder, json };
}
