import { KubeError } from '../adapters/kube/port.ts';
import { UsageError } from '../adapters/process/start-error.ts';
import { kubeFailure } from './cluster/kube-failure.ts';
import { overview, verbHelp } from './args/help.ts';
import { nearestName } from '../core/manifest/nearest.ts';
import { checkCount, parseVerbArgs } from './args/parse-args.ts';
import type { VerbEntry } from './args/verb.ts';
import { candidates } from './completion/candidates.ts';
import type { KnownOrbs } from './completion/known-orbs.ts';
import { EXIT, Failure, usage } from './io/failure.ts';
import type { Io } from './io/io.ts';
import { printable } from './io/output.ts';
import { verbs } from './verbs.ts';

interface Choice {
  readonly entry: VerbEntry;
  readonly rest: readonly string[];
}

const startsGroup = (word: string): boolean => verbs.some(({ name }) => name.startsWith(`${word} `));

/** Verbs have one word or two: `run`, `receipts get`. */
function choose(words: readonly string[]): Choice | undefined {
  for (const length of [2, 1]) {
    const entry = verbs.find(({ name }) => name === words.slice(0, length).join(' '));
    if (entry !== undefined) return { entry, rest: words.slice(length) };
  }
  return undefined;
}

function unknownVerb(words: readonly string[]): Failure {
  const [first = '', second = ''] = words;
  const names = verbs.map(({ name }) => name);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const meant = nearestName(`${first} ${second}`, group);
    return usage(
      `orb ${printable(first)} needs one of: ${group.map((name) => name.slice(first.length + 1)).join(', ')}`,
      ...(meant === undefined ? [] : [`did you mean orb ${meant}?`]),
    );
  }
  const meant = nearestName(first, [...new Set(names.map((name) => name.split(' ')[0] ?? name)), 'help']);
  return usage(
    `unknown verb ${printable(first)}${meant === undefined ? '' : `: did you mean ${meant}?`}`,
    'orb help lists the verbs',
  );
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

/** Help of a verb, of a group of verbs, or of all. */
async function help(words: readonly string[], io: Io): Promise<number> {
  const named = words.filter((word) => !isHelp(word));
  const found = choose(named);
  if (found !== undefined) io.out(verbHelp(found.entry, await found.entry.load(), io));
  else if (named.length === 0) io.out(overview(verbs, io));
  else if (named[0] !== undefined && named.length === 1 && startsGroup(named[0])) {
    io.out(
      overview(
        verbs.filter(({ name }) => name.startsWith(`${named[0]} `)),
        io,
      ),
    );
  } else throw unknownVerb(named);
  return EXIT.ok;
}

async function runVerb({ entry, rest }: Choice, io: Io): Promise<number> {
  const verb = await entry.load();
  const args = parseVerbArgs(verb, rest);
  if (args.has('help')) {
    io.out(verbHelp(entry, verb, io));
    return EXIT.ok;
  }
  checkCount({ ...verb, name: entry.name }, args);
  return verb.run(args, io);
}

// kubectl's code for further suggestions (cobra's ShellCompDirective): files, or nothing.
const FILES = ':0';
const NO_FILES = ':4';

/** For the shells' scripts and kubectl_complete-orb; people don't use this verb. */
async function complete(words: readonly string[], io: Io): Promise<number> {
  // Loaded only when an Orb is asked for: all else is known here.
  const orbs: KnownOrbs = {
    ids: async (...asked) => (await import('./completion/known-orbs.ts')).knownOrbs(io).ids(...asked),
    inputs: async (...asked) => (await import('./completion/known-orbs.ts')).knownOrbs(io).inputs(...asked),
  };
  const { words: found, files } = await candidates(verbs, words, orbs);
  io.out([...found, files ? FILES : NO_FILES].map((line) => `${line}\n`).join(''));
  return EXIT.ok;
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first] = argv;
  if (first === '--version') {
    io.out(`${io.version}\n`);
    return EXIT.ok;
  }
  if (first === '__complete') return complete(argv.slice(1), io);
  if (first === undefined) {
    io.err(overview(verbs, io));
    return EXIT.usage;
  }
  if (first === 'help' || isHelp(first)) return help(argv.slice(1), io);
  const found = choose(argv);
  if (found !== undefined) return runVerb(found, io);
  if (isHelp(argv[1])) return help([first], io);
  throw unknownVerb(argv);
}

/** Turns an error of a verb or of the argument parser into what is printed. */
function failureOf(thrown: unknown, argv: readonly string[]): unknown {
  const error = thrown instanceof KubeError ? kubeFailure(thrown) : thrown;
  const failure = error instanceof UsageError ? usage(error.message) : error;
  const name = choose(argv)?.entry.name;
  const isBare = failure instanceof Failure && failure.exit === EXIT.usage && failure.next.length === 0;
  return isBare && name !== undefined ? usage(failure.message, `orb ${name} --help explains every flag`) : failure;
}

function explain(error: unknown, io: Io): number {
  if (!(error instanceof Failure)) {
    // An unexpected error decides nothing: "can't be decided" is the only exit code that claims nothing.
    io.err(`orb: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    return EXIT.invalid;
  }
  const next = error.next.map((line) => `     ${printable(line)}\n`).join('');
  io.err(`orb: ${printable(error.message)}\n${next}`);
  return error.exit;
}

/**
 * Runs one command line.
 * @param argv the arguments after the program's name
 * @returns the exit code (packaging.md §6); never rejects
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return explain(failureOf(error, argv), io);
  }
}
