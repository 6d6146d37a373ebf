import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** One option of a benchmark. */
export interface BenchOption {
  readonly name: string;
  /** What stands behind it in the help, for example `N`; undefined: a flag. */
  readonly takes?: string;
  /** Unless the option is given; the help shows it. */
  readonly value?: string;
  /** The value is a number from this one on. */
  readonly least?: number;
  /** It may be repeated. */
  readonly many?: boolean;
  readonly text: string;
}

/** A benchmark as its help describes it. */
export interface BenchAbout {
  readonly name: string;
  /** Lines of at most 120 characters. */
  readonly about: string;
  readonly options: readonly BenchOption[];
}

/** Exit code of a command line that can't be used. */
export const BAD_USE = 2;

const HELP: BenchOption = { name: 'help', text: 'this text' };
const GAP = 2;

const leftOf = ({ name, takes }: BenchOption): string => `--${name}${takes === undefined ? '' : ` ${takes}`}`;

/** The text that `--help` prints. */
export function helpOf({ name, about, options }: BenchAbout): string {
  const all = [...options, HELP];
  const width = Math.max(...all.map((option) => leftOf(option).length)) + GAP;
  const lines = all.map((option) => {
    const { text, value, many } = option;
    return `  ${leftOf(option).padEnd(width)}${text}${many === true ? '; may be repeated' : ''}${value === undefined ? '' : ` (${value})`}`;
  });
  return `npm run bench ${name} [-- OPTIONS]\n\n${about}\n\n${lines.join('\n')}\n`;
}

/** What Node adds to the name of an unknown option: no benchmark takes an argument without one. */
const POSITIONALS = /\. (?:To specify a positional argument|This command does not take positional arguments).*/s;

/** The line for a command line that can't be used; it says how to find the options. */
export function badUse(name: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const why = message.replace(POSITIONALS, '').replaceAll('\n', ' ').replace(/\.$/, '');
  return `bench ${name}: ${why}; see npm run bench ${name} -- --help`;
}

function configOf(options: readonly BenchOption[]): ParseArgsOptionsConfig {
  return Object.fromEntries(
    options.map(({ name, takes, many }) => [
      name,
      takes === undefined ? { type: 'boolean' } : { type: 'string', multiple: many === true },
    ]),
  );
}

/** Options as they were given, or their values without that. */
export class GivenOptions {
  readonly #options: ReadonlyMap<string, BenchOption>;
  readonly #given: ReadonlyMap<string, unknown>;

  /** @throws Error an unknown option, or a value that does not fit */
  constructor(options: readonly BenchOption[], args: readonly string[]) {
    this.#options = new Map(options.map((option) => [option.name, option]));
    this.#given = new Map(Object.entries(parseArgs({ args: [...args], options: configOf(options) }).values));
    for (const { name, least } of options) if (least !== undefined) this.number(name);
  }

  /** @throws Error the value is no number, or less than it may be */
  number(name: string): number {
    const text = this.text(name);
    const least = this.#options.get(name)?.least ?? 0;
    const value = Number(text);
    if (!Number.isFinite(value) || value < least)
      throw new Error(`--${name} takes a number from ${least}, not "${text}"`);
    return value;
  }

  text(name: string): string {
    return this.given(name) ?? this.#options.get(name)?.value ?? '';
  }

  given(name: string): string | undefined {
    const value = this.#given.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  has(name: string): boolean {
    return this.#given.get(name) === true;
  }

  all(name: string): readonly string[] {
    const values = this.#given.get(name);
    return Array.isArray(values) ? values.map(String) : [];
  }
}

/** Ends the process with one line that says what is wrong. */
export function endByBadUse(name: string, error: unknown): never {
  console.error(badUse(name, error));
  process.exit(BAD_USE);
}

/** Reads the command line of this process; ends it after the help, and after wrong options. */
export function readBenchOptions(about: BenchAbout): GivenOptions {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpOf(about));
    process.exit(0);
  }
  try {
    return new GivenOptions(about.options, args);
  } catch (error) {
    return endByBadUse(about.name, error);
  }
}
