import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../../core/manifest/nearest.ts';
import { HELP_FLAG, type DefaultFlag, type Flag, type ValueFlag } from './flag.ts';
import { UsageError } from './start-error.ts';

/** Flags and values of a command line, as texts. */
export interface Args {
  readonly positionals: readonly string[];
  readonly one: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
}

type Options = NonNullable<ParseArgsConfig['options']>;

interface OptionToken {
  /** Position of its word on the command line. */
  readonly index: number;
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

function unknownFlag(rawName: string, flags: readonly Flag[]): UsageError {
  const meant = nearestName(
    rawName.replace(/^-+/, ''),
    flags.map(({ name }) => name),
  );
  return new UsageError(`unknown flag ${rawName}${meant === undefined ? '' : `: did you mean --${meant}?`}`);
}

/** One dash before a long name: `-output json` would be read as `-o utput`. */
function refuseOneDash(word: string, flags: readonly Flag[]): void {
  const [, name] = /^-([a-z0-9-]{2,})(?:=|$)/.exec(word) ?? [];
  if (flags.some((flag) => flag.name === name)) throw new UsageError(`unknown flag -${name}: did you mean --${name}?`);
}

/** The text behind `=` of a flag that accepts a value only there, or no value. */
function inlineOf({ value, rawName }: OptionToken, { inline }: Flag): string {
  if (value !== undefined && inline === undefined) throw new UsageError(`${rawName} takes no value`);
  if (value === '') throw new UsageError(`${rawName}= has no value: write ${rawName}=${inline}, or ${rawName} alone`);
  return value ?? '';
}

/** A word that begins with a dash, where a value is expected: most likely the value was forgotten. */
const isSwallowed = ({ value, inlineValue = false }: OptionToken): boolean =>
  value !== undefined && !inlineValue && value.length > 1 && value.startsWith('-');

/** Whether a word is one of the flags: then the value before it was forgotten, whatever values look like. */
const isFlagOf = (flags: readonly Flag[], word: string): boolean =>
  flags.some(({ name, short }) => word === `--${name}` || word.startsWith(`--${name}=`) || word === `-${short}`);

/** Whether a word stands where a value was forgotten, though values of the flag may begin with a dash. */
const isForgotten = (token: OptionToken, flag: Flag, flags: readonly Flag[]): boolean =>
  isSwallowed(token) && (flag.valuesBeginWithDash !== true || isFlagOf(flags, token.value ?? ''));

/** The value of one option as it was written. @throws UsageError a value is missing, or the flag takes none */
function valueIn(token: OptionToken, flag: Flag, flags: readonly Flag[]): string {
  const { value, inlineValue = false, rawName } = token;
  if (flag.value === undefined) return inlineOf(token, flag);
  const form = `${rawName} ${flag.value}`;
  if (value === undefined) throw new UsageError(`${rawName} takes a value: ${form}`);
  if (isForgotten(token, flag, flags))
    throw new UsageError(`${rawName} takes a value: ${form}, or --${flag.name}=${flag.value} when it begins with -`);
  // `-n=acme` is `-n acme`, as in kubectl.
  const text = inlineValue && !rawName.startsWith('--') && value.startsWith('=') ? value.slice(1) : value;
  // Usually a variable of a shell that is not set. As a path, an empty text would be the current folder.
  if (text === '') throw new UsageError(`${rawName} takes a value that is not empty: ${form}`);
  return text;
}

const HELP_WORDS: readonly unknown[] = [`--${HELP_FLAG.name}`, `-${HELP_FLAG.short}`];

/** Whether a whole word asks for help, also where another flag lacks its value: `--data --help`. */
const asksForHelp = (token: OptionToken, word: string | undefined): boolean =>
  HELP_WORDS.includes(isSwallowed(token) ? token.value : word);

function collect(tokens: readonly OptionToken[], flags: readonly Flag[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map(flags.map((flag) => [flag.name, flag]));
  const values = new Map<string, readonly string[]>();
  for (const token of tokens) {
    const flag = known.get(token.name);
    if (flag === undefined) throw unknownFlag(token.rawName, flags);
    const before = values.get(flag.name) ?? [];
    if (before.length > 0 && flag.repeats !== true) throw new UsageError(`${token.rawName} is given twice`);
    values.set(flag.name, [...before, valueIn(token, flag, flags)]);
  }
  return values;
}

/**
 * Parses a command line; values stay texts. A command line that asks for help has no other flag: help is given whatever
 * else is wrong.
 * @throws UsageError an unknown flag, with the flag that was probably meant; a missing or empty value; a flag given twice
 */
export function parseArguments(flags: readonly Flag[], argv: readonly string[]): Args {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(flags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = tokens.filter((token) => token.kind === 'option');
  const isHelp = flags.includes(HELP_FLAG) && options.some((token) => asksForHelp(token, argv[token.index]));
  if (!isHelp) for (const { index } of options) refuseOneDash(argv[index] ?? '', flags);
  const values = isHelp ? new Map([[HELP_FLAG.name, ['']]]) : collect(options, flags);
  return {
    positionals: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
    one: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  };
}

/** The value of a flag, parsed; its default when it was not given. @throws UsageError */
export const valueOf = <T>(args: Args, { name, fallback, parse }: DefaultFlag<T>): T =>
  parse(args.one(name) ?? fallback, `--${name}`);

/** @returns undefined: the flag was not given. @throws UsageError */
export function givenOf<T>(args: Args, { name, parse }: ValueFlag<T>): T | undefined {
  const text = args.one(name);
  return text === undefined ? undefined : parse(text, `--${name}`);
}

/** Every value of a flag that repeats, in order. @throws UsageError */
export const allOf = <T>(args: Args, { name, parse }: ValueFlag<T>): readonly T[] =>
  args.all(name).map((text) => parse(text, `--${name}`));

/**
 * Two flags that must be given together.
 * @returns undefined: neither was given.
 * @throws UsageError one of them is missing
 */
export function bothOf<T>(args: Args, one: ValueFlag<T>, other: ValueFlag<T>): readonly [T, T] | undefined {
  const [first, second] = [givenOf(args, one), givenOf(args, other)];
  if (first === undefined && second === undefined) return undefined;
  if (first !== undefined && second !== undefined) return [first, second];
  throw new UsageError(`--${one.name} and --${other.name} belong together`);
}
