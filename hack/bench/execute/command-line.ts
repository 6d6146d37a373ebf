import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run bench execute [-- OPTIONS]

Measures what a run costs, compared with a bare pass-through and with Portkey (docs/design/performance.md). Each round
starts every subject in a fresh process with a fresh ledger. Then it loads them with 1, 32 and 256 callers, in turns of
2 seconds: a machine that changes its speed is as fast for one as for the other. Ratios are computed within a round, then
their median is taken. A round during which other processes used the machine is repeated once. Ends with the goals; the
exit code is 1 when a gate is missed.

  --rounds N         rounds (5); with 0 only what other options ask for
  --warm SECONDS     least warm-up of each process with 32 callers (8)
  --warm-requests N  the warm-up lasts until so many requests were answered, at most a minute (30000): Node compiles
                     what runs often, and a slower machine needs more time for that
  --seconds SECONDS  duration of each load, all its turns together (10)
  --against COMMIT   measures the platform of that commit too, for example HEAD~1
  --rows             also runs with a vault of 20 secrets, an Idempotency-Key each, swap_config, an answer of 64 KiB
  --bare             also a bare run: the pass-through with two durable commits and a signature, and nothing else: what
                     these cost a run
  --no-portkey       without Portkey, which npm otherwise installs once into ~/.cache/orb-bench
  --profile          writes a profile of the main thread at 32 callers, a flame graph and the busiest functions to
                     hack/bench/results
  --short            the check at the end of CI: three short rounds with 32 callers; fails below half of the recorded ratio
                     to the pass-through. Takes no option besides --folder.
  --folder FOLDER    for the ledgers, on a disk (${tmpdir()})
  --json FILE        saves all rounds
  --help             this text
`;

const LONG = {
  rounds: { type: 'string', default: '5' },
  warm: { type: 'string', default: '8' },
  'warm-requests': { type: 'string', default: '30000' },
  seconds: { type: 'string', default: '10' },
  against: { type: 'string' },
  rows: { type: 'boolean', default: false },
  bare: { type: 'boolean', default: false },
  'no-portkey': { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  folder: { type: 'string', default: tmpdir() },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What was asked for. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'short'; readonly folder: string }
  | {
      readonly kind: 'full';
      readonly rounds: number;
      readonly warmSeconds: number;
      readonly warmRequests: number;
      readonly seconds: number;
      readonly against: string | undefined;
      readonly rows: boolean;
      readonly bare: boolean;
      readonly portkey: boolean;
      readonly profile: boolean;
      readonly folder: string;
      readonly json: string | undefined;
    };

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
  return value;
}

/** @throws Error an unknown option, or a value that is no number */
export function parseCommand(args: readonly string[]): Command {
  if (args.includes('--short')) {
    const { folder } = parseArgs({
      args: [...args],
      options: { short: { type: 'boolean' }, folder: LONG.folder },
    }).values;
    return { kind: 'short', folder };
  }
  const { values } = parseArgs({ args: [...args], options: LONG });
  if (values.help) return { kind: 'help' };
  const { rows, bare, profile, folder, against, json } = values;
  return {
    kind: 'full',
    rounds: Math.floor(numberOf('rounds', values.rounds, 0)),
    warmSeconds: numberOf('warm', values.warm, 0.1),
    warmRequests: numberOf('warm-requests', values['warm-requests'], 0),
    seconds: numberOf('seconds', values.seconds, 0.1),
    against,
    rows,
    bare,
    portkey: !values['no-portkey'],
    profile,
    folder,
    json,
  };
}
