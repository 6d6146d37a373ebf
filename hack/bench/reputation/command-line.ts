import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run bench reputation [-- OPTIONS]

Measures what publishing costs. Every part starts the platform as npm start does, with a ledger of its own. A run of a
published Orb is compared with a run of an unpublished one within each round. Ends with the goals; the exit code is 1 when
one is missed.

  --only PARTS       a comma list of runs, lists, reads, publish, hostile, scores (all)
  --rounds N         rounds of each part (5)
  --seconds SECONDS  duration of each load (4)
  --orbs N           published Orbs in the lists (10000)
  --scored N         published Orbs that are evaluated over the receipts (1000)
  --receipts N       receipts in their log (1000000); the goal of the evaluations is for 10000000, which take 6 GB
  --mock N           mock cases of the suite that is published (190)
  --live N           live cases of it (10); a suite has at most 200 cases in all
  --folder FOLDER    for the ledgers, on a disk (${tmpdir()})
  --json FILE        saves all rounds
  --help             this text
`;

const OPTIONS = {
  only: { type: 'string', default: 'runs,lists,reads,publish,hostile,scores' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '4' },
  orbs: { type: 'string', default: '10000' },
  scored: { type: 'string', default: '1000' },
  receipts: { type: 'string', default: '1000000' },
  mock: { type: 'string', default: '190' },
  live: { type: 'string', default: '10' },
  folder: { type: 'string', default: tmpdir() },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const PARTS = ['runs', 'lists', 'reads', 'publish', 'hostile', 'scores'] as const;
export type PartName = (typeof PARTS)[number];

/** Cases of a suite that the platform takes. */
const MAX_CASES = 200;

/** What every part needs. */
export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly orbs: number;
  readonly scored: number;
  readonly receipts: number;
  readonly mockCases: number;
  readonly liveCases: number;
}

/** What was asked for. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'measure';
      readonly parts: readonly PartName[];
      readonly settings: Settings;
      readonly folder: string;
      readonly json: string | undefined;
    };

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
  return value;
}

const wholeOf = (name: string, text: string, least: number): number => Math.floor(numberOf(name, text, least));

const isPart = (name: string): name is PartName => PARTS.some((part) => part === name);

function partsOf(text: string): readonly PartName[] {
  const names = text.split(',');
  const parts = names.filter(isPart);
  if (parts.length < names.length) throw new Error(`--only takes ${PARTS.join(', ')}`);
  return parts;
}

/** @throws Error an unknown option, or a value that does not fit */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { kind: 'help' };
  const settings: Settings = {
    rounds: wholeOf('rounds', values.rounds, 1),
    seconds: numberOf('seconds', values.seconds, 0.1),
    orbs: wholeOf('orbs', values.orbs, 1),
    scored: wholeOf('scored', values.scored, 1),
    receipts: wholeOf('receipts', values.receipts, 1),
    mockCases: wholeOf('mock', values.mock, 1),
    liveCases: wholeOf('live', values.live, 0),
  };
  if (settings.mockCases + settings.liveCases > MAX_CASES)
    throw new Error(`a suite has at most ${MAX_CASES} cases: lower --mock or --live`);
  return { kind: 'measure', parts: partsOf(values.only), settings, folder: values.folder, json: values.json };
}
