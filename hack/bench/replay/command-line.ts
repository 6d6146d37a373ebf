import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run bench replay [-- OPTIONS]

Measures replays of policies. The ledger is filled by a platform inside the benchmark, through all of its code but the
network. Then the platform is started as the image does, compiled. It replays a draft of five rules over the receipts of a tenant
that only records, alone and beside executions of another tenant. At last the policies in force of a third tenant are
replayed over their own receipts, as they are and with two changed bytes. The exit code is 1 when a goal is missed.

  --receipts N       receipts that the draft is replayed over (1000000)
  --r19 N            receipts of the policies in force (100000)
  --replays N        replays of the draft (3)
  --rounds N         rounds of executions alone and beside replays (3)
  --seconds SECONDS  duration of each load (8)
  --rate N           executions a second (200)
  --ledger FOLDER    keeps the ledger in this folder, or takes the one that an earlier run left there
  --folder FOLDER    for the ledger, on a disk (${tmpdir()}); 1 000 000 receipts take 5 GB
  --json FILE        saves all measurements
  --help             this text
`;

const OPTIONS = {
  receipts: { type: 'string', default: '1000000' },
  r19: { type: 'string', default: '100000' },
  replays: { type: 'string', default: '3' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '8' },
  rate: { type: 'string', default: '200' },
  ledger: { type: 'string' },
  folder: { type: 'string', default: tmpdir() },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** How much is measured. */
export interface Settings {
  readonly receipts: number;
  readonly exact: number;
  readonly replays: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rate: number;
}

/** What was asked for. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'measure';
      readonly settings: Settings;
      /** Undefined: the ledger is removed at the end. */
      readonly ledger: string | undefined;
      readonly folder: string;
      readonly json: string | undefined;
    };

/** The tenant with policies has two changed rows and denied runs among its receipts. */
const LEAST_RECEIPTS = 1000;

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
  return value;
}

const wholeOf = (name: string, text: string, least: number): number => Math.floor(numberOf(name, text, least));

/** @throws Error an unknown option, or a value that does not fit */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { kind: 'help' };
  const settings: Settings = {
    receipts: wholeOf('receipts', values.receipts, LEAST_RECEIPTS),
    exact: wholeOf('r19', values.r19, LEAST_RECEIPTS),
    replays: wholeOf('replays', values.replays, 1),
    rounds: wholeOf('rounds', values.rounds, 1),
    seconds: numberOf('seconds', values.seconds, 0.1),
    rate: numberOf('rate', values.rate, 1),
  };
  const { ledger, folder, json } = values;
  return { kind: 'measure', settings, ledger, folder, json };
}
