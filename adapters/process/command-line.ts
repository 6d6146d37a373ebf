import { parseArguments, type Args } from './arguments.ts';
import { HELP_FLAG } from './flag.ts';
import { usageLine, type HelpParts } from './help.ts';
import { UsageError } from './start-error.ts';

/** The command line of a program: its flags, and how they become settings. */
export interface CommandLine<Settings> extends HelpParts {
  /** @throws UsageError a value is wrong, or two flags don't go together */
  readonly resolve: (args: Args) => Settings;
}

/** Result of parsing a command line. */
export type ParsedCommandLine<Settings> =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'help' }
  /** The message is one line, and says how to correct it. */
  | { readonly kind: 'wrong'; readonly message: string };

function parse<Settings>(
  { flags, resolve }: CommandLine<Settings>,
  argv: readonly string[],
): ParsedCommandLine<Settings> {
  const args = parseArguments([...flags, HELP_FLAG], argv);
  if (args.has(HELP_FLAG.name)) return { kind: 'help' };
  const [first] = args.positionals;
  if (first !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(first)}: flags begin with --`);
  return { kind: 'start', settings: resolve(args) };
}

/** @param argv the arguments after the program's name */
export function parseCommandLine<Settings>(
  commandLine: CommandLine<Settings>,
  argv: readonly string[],
): ParsedCommandLine<Settings> {
  try {
    return parse(commandLine, argv);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}

/** Output of a program for a wrong command line: one line with the correction, one with the way to the help. */
export const wrongUsageText = (message: string, program: Pick<HelpParts, 'call'>): string =>
  `${message}\n${usageLine(program)}   (${program.call} --help explains every flag)\n`;
