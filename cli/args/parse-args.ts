import { parseArguments, type Args } from '../../adapters/process/arguments.ts';
import { HELP_FLAG, type Flag } from '../../adapters/process/flag.ts';
import { usage } from '../io/failure.ts';
import type { Verb, VerbEntry } from './verb.ts';

/** Flags of the verb and those of every verb. */
export const flagsOf = (verb: Pick<Verb, 'flags'>): readonly Flag[] => [...verb.flags, HELP_FLAG];

/**
 * Parses the arguments that follow the name of a verb.
 * @throws UsageError an unknown flag, with the one that was probably meant; a missing value; a flag given twice
 */
export const parseVerbArgs = (verb: Pick<Verb, 'flags'>, argv: readonly string[]): Args =>
  parseArguments(flagsOf(verb), argv);

/** @throws Failure (64) too few or too many arguments; they are counted, not shown: one may be a secret */
export function checkCount(verb: Pick<Verb, 'count' | 'usage'> & Pick<VerbEntry, 'name'>, args: Args): void {
  const [least, most] = verb.count;
  const given = args.positionals.length;
  const line = `orb ${verb.name} ${verb.usage}`.trimEnd();
  if (given < least) throw usage(`an argument is missing: ${line}`);
  if (given > most) throw usage(`too many arguments (${given}, at most ${most}): ${line}`);
}
