import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { Io } from '../io/io.ts';

/** An entry in the list of verbs: all that the overview and the choice of a verb need. */
export interface VerbEntry {
  /** `run`, `receipts get` … */
  readonly name: string;
  readonly summary: string;
  /** Imports the file of the verb: a process pays only for the verb that it runs. */
  readonly load: () => Promise<Verb>;
}

/** One verb of the command line, described once: parsing, help and errors come from this and its entry in the list. */
export interface Verb {
  /** Arguments as the help writes them; '' for a verb without arguments. */
  readonly usage: string;
  /** Smallest and largest number of arguments. */
  readonly count: readonly [number, number];
  readonly flags: readonly Flag[];
  /** What its arguments are, for completion: an Orb that the caller can run, with or without inputs behind it. */
  readonly completes?: 'orb' | 'orb-and-inputs';
  /** Paragraph under the summary. */
  readonly about?: string;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** @returns the exit code; may throw `Failure` */
  readonly run: (args: Args, io: Io) => Promise<number>;
}

export const OUTPUT: Flag = { name: 'output', short: 'o', value: 'FORMAT', text: 'json or yaml, for machines' };
export const OUTPUT_LIST: Flag = { ...OUTPUT, text: 'json, yaml or name, for machines' };
export const DATA: Flag = { name: 'data', value: 'DIR', text: 'data folder of npm start (.orb)' };
