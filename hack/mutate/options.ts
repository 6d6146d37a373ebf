import { parseArgs } from 'node:util';

interface Options {
  readonly places: readonly string[];
  readonly seed: number;
  readonly count: number;
  readonly minutes: number;
  /** Only files whose path contains this. */
  readonly file: string;
  readonly json: string | undefined;
  readonly again: string | undefined;
  readonly pauseWhile: string;
  /** Only the tests of a file and of its folder. */
  readonly near: boolean;
}

export const helpOf = (areas: readonly string[]): string => `npm run mutate -- PLACE… [OPTION…]

Changes a small thing in a source file and runs the unit tests that reach it. A change that no test notices survives.
The files on disk are never changed.

PLACE is a folder, a file or one of: ${areas.join(', ')}

  --seed N             which changes are drawn (1)
  --count M            how many of each place (200)
  --minutes L          ends a place after this time (600)
  --file PART          only files whose path contains this text
  --json FILE          writes the result, also while it runs
  --again FILE         tries only what survived or was not tried according to such a result
  --near               runs only the tests of the file and of its folder: faster, and more survive
  --pause-while FILE   waits between two changes as long as this file exists

A change is killed when a test fails. A change is timed out when the tests with it use 5 s of the processor more than
four times what they use without it, or when a test reaches its own limit of 20 s, twice. It counts as noticed, because
a loop that never ends would stop the suite as well. It has a column of its own, because a busy machine can cause it too.`;

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/** @returns undefined: the help text is wanted, or a place is missing, or a number is not one */
export function optionsOf(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '200' },
      file: { type: 'string', default: '' },
      minutes: { type: 'string', default: '600' },
      json: { type: 'string' },
      again: { type: 'string' },
      'pause-while': { type: 'string', default: '' },
      near: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [seed, count, minutes] = [Number(values.seed), Number(values.count), Number(values.minutes)] as const;
  if (values.help || positionals.length === 0 || ![seed, count, minutes].every(isWhole)) return undefined;
  return {
    places: positionals.map((name) => name.replace(/\/$/, '')),
    seed,
    count,
    minutes,
    file: values.file,
    json: values.json,
    again: values.again,
    pauseWhile: values['pause-while'],
    near: values.near,
  };
}
