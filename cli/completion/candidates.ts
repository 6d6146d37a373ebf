import { flagsOf } from '../args/parse-args.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { Verb, VerbEntry } from '../args/verb.ts';

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

function ofVerb(verb: Verb, before: readonly string[], last: string): Candidates {
  const flags = flagsOf(verb);
  const previous = flagNamed(flags, before.at(-1) ?? '');
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
  return { words: [], files: /FILE|JSON|jws|DIR/.test(verb.usage) };
}

/**
 * Completes a command line from what verbs declare, without reading a file or calling a server or a cluster.
 * @param words the arguments after the program's name; the last is being typed and may be ''
 */
export async function candidates(verbs: readonly VerbEntry[], words: readonly string[]): Promise<Candidates> {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const [first] = before;
  if (first === undefined) return { words: startingWith([...firstWords(verbs), '--version'], last), files: false };
  if (first === 'help') return candidates(verbs, words.slice(1));
  const group = secondWords(verbs, first);
  if (before.length === 1 && group.length > 0) return { words: startingWith(group, last), files: false };
  const entry = chosen(verbs, before);
  return entry === undefined ? NOTHING : ofVerb(await entry.load(), before, last);
}
