import type { Io } from '../io/io.ts';
import type { Args } from './parse-args.ts';

/** One `--flag` of a verb. */
export interface Flag {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** What stands behind it in the help (`FILE`); absent: the flag takes no value. */
  readonly value?: string;
  /** The flag stands alone, or with a value behind `=`: `--secret`, `--secret=NAME`. */
  readonly inline?: string;
  /** May be given several times. */
  readonly repeats?: true;
  readonly text: string;
  /** What it may be, for completion. */
  readonly values?: readonly string[];
}

/** One verb of the command line, described once: parsing, help and errors come from this. */
export interface Verb {
  /** `run`, `receipts get` … */
  readonly name: string;
  readonly summary: string;
  /** Arguments as the help writes them; '' when there are none. */
  readonly usage: string;
  /** Smallest and largest number of arguments. */
  readonly count: readonly [number, number];
  readonly flags: readonly Flag[];
  /** Paragraph under the summary. */
  readonly about?: string;
  /** Lines behind the program's name. */
  readonly examples: readonly string[];
  /** @returns the exit code; may throw `Failure` */
  readonly run: (args: Args, io: Io) => Promise<number>;
}

export const OUTPUT: Flag = { name: 'output', short: 'o', value: 'FORMAT', text: 'json or yaml, for machines' };
export const OUTPUT_LIST: Flag = { ...OUTPUT, text: 'json, yaml or name, for machines' };
export const DATA: Flag = { name: 'data', value: 'DIR', text: 'data folder of npm start (.orb)' };
