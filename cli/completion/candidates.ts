import { flagsOf, parseVerbArgs } from '../args/parse-args.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { Verb, VerbEntry } from '../args/verb.ts';
import type { KnownOrbs } from './known-orbs.ts';

/** Words that may end a command line, and whether a file may. */
export interface Candidates {
  readonly words: readonly string[];
  readonly files: boolean;
}

const NOTHING: Candidates = { words: [], files: false };

const FORMATS = ['json', 'yaml', 'name'];
const FIXED: Readonly<Record<string, readonly string[]>> = { output: FORMATS };
const FILE_VALUES = new Set(['FILE', 'DIR', 'BUNDLE', 'JWK']);

const firstWords = (verbs: readonly VerbEntry[]): readonly string[] => [
  ...new Set([...verbs.map(({ name }) => name.split(' ')[0] ?? name), 'help']),
];

const secondWords = (verbs: readonly VerbEntry[], first: string): readonly string[] =>
  verbs.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));

function chosen(verbs: readonly VerbEntry[], words: readonly string[]): VerbEntry | undefined {
  const named = (length: number): VerbEntry | undefined =>
    verbs.find(({ name }) => name === words.slice(0, length).join(' '));
  return named(2) ?? named(1);
}

const flagNamed = (flags: readonly Flag[], word: string): Flag | undefined =>
  flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));

const startingWith = (words: readonly string[], start: string): readonly string[] =>
  words.filter((word) => word.startsWith(start));

function valuesOf(flag: Flag, start: string): Candidates {
  const files = FILE_VALUES.has(flag.value ?? '');
  return { words: startingWith(flag.values ?? FIXED[flag.name] ?? [], start), files };
}

/** The arguments so far; undefined: they can't be read, so nothing is known of them. */
function argsOf(verb: Verb, words: readonly string[]): Args | undefined {
  try {
    return parseVerbArgs(verb, words);
  } catch {
    return undefined;
  }
}

/** Orbs and their inputs. An input that was given already is not offered again. */
async function ofOrb(verb: Verb, { given, last, orbs }: Typed): Promise<readonly string[]> {
  const args = argsOf(verb, given);
  if (args === undefined || verb.completes === undefined) return [];
  const [orbId, ...words] = args.positionals;
  if (orbId === undefined) return orbs.ids(last, args);
  if (verb.completes === 'orb') return [];
  const before = new Set(words.map((word) => word.slice(0, word.search(/:?=|$/))));
  const inputs = await orbs.inputs(orbId, args);
  return startingWith(
    inputs.filter((name) => !before.has(name)).map((name) => `${name}=`),
    last,
  );
}

/** What is typed behind the name of a verb. */
interface Typed {
  readonly given: readonly string[];
  readonly last: string;
  readonly orbs: KnownOrbs;
}

async function ofVerb(verb: Verb, typed: Typed): Promise<Candidates> {
  const { given: before, last, orbs } = typed;
  const flags = flagsOf(verb);
  const previous = flagNamed(flags, before.at(-1) ?? '');
  if (previous?.value === 'ORB_ID') {
    const args = argsOf(verb, before.slice(0, -1));
    return { words: args === undefined ? [] : await orbs.ids(last, args), files: false };
  }
  if (previous?.value !== undefined) return valuesOf(previous, last);
  if (last.startsWith('-')) {
    const open = flags.filter(({ name, repeats }) => repeats === true || !before.includes(`--${name}`));
    return {
      words: startingWith(
        open.map(({ name }) => `--${name}`),
        last,
      ),
      files: false,
    };
  }
  if (verb.completes !== undefined) return { words: await ofOrb(verb, typed), files: false };
  return { words: [], files: /FILE|JSON|jws|DIR/.test(verb.usage) };
}

/**
 * Completes a command line from what verbs declare, without reading a file or calling a server or a cluster. Only for
 * ids of Orbs and names of inputs it asks `orbs`.
 * @param words the arguments after the program's name; the last is being typed and may be ''
 */
export async function candidates(
  verbs: readonly VerbEntry[],
  words: readonly string[],
  orbs: KnownOrbs,
): Promise<Candidates> {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const [first] = before;
  if (first === undefined) return { words: startingWith([...firstWords(verbs), '--version'], last), files: false };
  if (first === 'help') return candidates(verbs, words.slice(1), orbs);
  const group = secondWords(verbs, first);
  if (before.length === 1 && group.length > 0) return { words: startingWith(group, last), files: false };
  const entry = chosen(verbs, before);
  if (entry === undefined) return NOTHING;
  const given = before.slice(entry.name.split(' ').length);
  return ofVerb(await entry.load(), { given, last, orbs });
}
