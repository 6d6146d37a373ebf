import { tmpdir } from 'node:os';
import { GivenOptions, helpOf, type BenchAbout } from '../bench-options.ts';

const PARTS = ['pages', 'prober', 'canary'] as const;
export type Part = (typeof PARTS)[number];

const ABOUT: BenchAbout = {
  name: 'status',
  about: `Measures the status page and who makes it. The parts, in this order:

  pages   GET /status and GET /livez at a rate, in turns, of the API and of the prober
  prober  CPU and memory of the program status-prober, started as the chart does, over TLS, while nothing is out. The
          requests of a kubelet come to it too
  canary  bytes that a round of checks adds to the ledger

The exit code is 1 when a goal is missed. Absolute times of a busy machine say little; the ratio to /livez says more.`,
  options: [
    { name: 'rate', takes: 'N', value: '200', least: 1, text: 'requests of a page in a second' },
    { name: 'seconds', takes: 'SECONDS', value: '20', least: 0.1, text: 'of each load of pages' },
    { name: 'turns', takes: 'N', value: '1', least: 1, text: 'turns of /status and /livez, each A B B A' },
    { name: 'interval', takes: 'DURATION', value: '30', least: 10, text: 'between rounds of the prober, s' },
    { name: 'rounds', takes: 'N', value: '6', least: 1, text: 'rounds of the prober that are measured' },
    { name: 'checks', takes: 'N', value: '200', least: 1, text: 'rounds of the canary that are measured' },
    { name: 'sources', text: 'run the sources; default: what is compiled, as the image holds it' },
    { name: 'part', takes: 'NAME', many: true, text: 'only this part' },
    { name: 'folder', takes: 'FOLDER', value: tmpdir(), text: 'for the ledgers' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
};

export const HELP = helpOf(ABOUT);

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

function partOf(name: string): Part {
  const part = PARTS.find((one) => one === name);
  if (part === undefined) throw new Error(`--part takes one of ${PARTS.join(', ')}, not "${name}"`);
  return part;
}

/** @throws Error an unknown option, or a value that does not fit */
export function parseCommand(args: readonly string[]): Command {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  const given = new GivenOptions(ABOUT.options, args);
  const whole = (name: string): number => Math.floor(given.number(name));
  const settings: Settings = {
    rate: given.number('rate'),
    seconds: given.number('seconds'),
    turns: whole('turns'),
    intervalSeconds: given.number('interval'),
    rounds: whole('rounds'),
    checks: whole('checks'),
    isCompiled: !given.has('sources'),
  };
  const named = given.all('part').map(partOf);
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  return { kind: 'measure', settings, parts, folder: given.text('folder'), json: given.given('json') };
}
