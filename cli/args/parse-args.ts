import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';
import { nearest } from '../../core/manifest/nearest.ts';
import type { Flag, Verb } from './verb.ts';

/** Arguments of a verb; asking for a flag that the verb doesn't have is a bug of the verb. */
export interface Args {
  readonly positionals: readonly string[];
  readonly one: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
}

const HELP: Flag = { name: 'help', short: 'h', text: 'this text' };

/** Flags of the verb and those of every verb. */
export const flagsOf = (verb: Pick<Verb, 'flags'>): readonly Flag[] => [...verb.flags, HELP];

type Options = NonNullable<ParseArgsConfig['options']>;

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function optionsOf(flags: readonly Flag[]): Options {
  const options: Options = {};
  for (const { name, value, short } of flags) {
    const type = value === undefined ? 'boolean' : 'string';
    options[name] = { type, multiple: true, ...(short === undefined ? {} : { short }) };
  }
  return options;
}

function unknownFlag(rawName: string, flags: readonly Flag[]): Error {
  const meant = nearest(
    rawName.replace(/^-+/, ''),
    flags.map(({ name }) => name),
  );
  return usage(`unknown flag ${printable(rawName)}${meant === undefined ? '' : `: did you mean --${meant}?`}`);
}

/** What stands behind `=` of a flag that takes a value there only, or none at all. */
function inlineOf({ value, rawName }: OptionToken, { inline }: Flag): string {
  if (value !== undefined && inline === undefined) throw usage(`${rawName} takes no value`);
  return value ?? '';
}

/** The value of one option as it was written. @throws Failure it has one and takes none, or the other way round */
function valueOf(token: OptionToken, flag: Flag): string {
  const { value, inlineValue = false, rawName } = token;
  if (flag.value === undefined) return inlineOf(token, flag);
  const swallowed = value !== undefined && !inlineValue && value.length > 1 && value.startsWith('-');
  if (value === undefined || swallowed) throw usage(`${rawName} takes a value: ${rawName} ${flag.value}`);
  return value;
}

function collect(tokens: readonly OptionToken[], flags: readonly Flag[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map(flags.map((flag) => [flag.name, flag]));
  const values = new Map<string, readonly string[]>();
  for (const token of tokens) {
    const flag = known.get(token.name);
    if (flag === undefined) throw unknownFlag(token.rawName, flags);
    const before = values.get(flag.name) ?? [];
    if (before.length > 0 && flag.repeats !== true) throw usage(`${token.rawName} is given twice`);
    values.set(flag.name, [...before, valueOf(token, flag)]);
  }
  return values;
}

/**
 * Parses what stands behind the name of a verb.
 * @throws Failure (64) an unknown flag, with the one that was probably meant; a missing value; a flag given twice
 */
export function parseVerbArgs(verb: Pick<Verb, 'flags'>, argv: readonly string[]): Args {
  const flags = flagsOf(verb);
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(flags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = collect(
    tokens.filter((token) => token.kind === 'option'),
    flags,
  );
  return {
    positionals: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
    one: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  };
}

/** @throws Failure (64) too few or too many arguments; they are counted, not shown: one may be a secret */
export function checkCount(verb: Pick<Verb, 'count' | 'usage' | 'name'>, args: Args): void {
  const [least, most] = verb.count;
  const given = args.positionals.length;
  const line = `orb ${verb.name} ${verb.usage}`.trimEnd();
  if (given < least) throw usage(`an argument is missing: ${line}`);
  if (given > most) throw usage(`too many arguments (${given}, at most ${most}): ${line}`);
}
