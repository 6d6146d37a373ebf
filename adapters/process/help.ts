import { HELP_FLAG, type Flag } from './flag.ts';

const WIDTH = 120;
const GAP = '  ';
/** Widest name of a flag with its description on the same line; a longer name has it on the next line. */
const MAX_NAME = 36;

/** `-o, --output FORMAT` */
export function flagName({ name, short, value, inline }: Flag): string {
  const behind = value === undefined ? (inline === undefined ? '' : `[=${inline}]`) : ` ${value}`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${behind}`;
}

/** The description of a flag, with its default: `debug, info, warn or error (info)`. */
export function flagMeaning({ text, fallback, otherwise, repeats }: Flag): string {
  const usual = fallback ?? otherwise;
  return `${text}${usual === undefined ? '' : ` (${usual})`}${repeats === true ? ' (may be repeated)' : ''}`;
}

/** Lines of at most `width` characters; a longer word has a line of its own. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** One row for each flag. Flags without a short name are indented as if they had one. */
export function flagTable(flags: readonly Flag[]): string {
  const names = flags.map((flag) => `${GAP}${flag.short === undefined ? '    ' : ''}${flagName(flag)}`);
  const column = Math.max(...names.map(({ length }) => (length > MAX_NAME ? 0 : length))) + GAP.length;
  const rows = flags.flatMap((flag, index) => {
    const name = names[index] ?? '';
    const lines = wrap(flagMeaning(flag), WIDTH - column).map((line) => `${' '.repeat(column)}${line}`);
    return name.length > MAX_NAME
      ? [name, ...lines]
      : [`${name.padEnd(column)}${(lines[0] ?? '').slice(column)}`, ...lines.slice(1)];
  });
  return rows.map((row) => `${row.trimEnd()}\n`).join('');
}

/** Parts of the help beside the flags. */
export interface HelpParts {
  /** How the program is called: `npm start --`. */
  readonly call: string;
  readonly about: string;
  readonly flags: readonly Flag[];
  /** Arguments of the example, after the call. */
  readonly example: string;
}

/** The first line of the help. */
export const usageLine = ({ call }: Pick<HelpParts, 'call'>): string => `${call} [options]`;

/** Output of a program for `--help`. */
export const helpText = ({ call, about, flags, example }: HelpParts): string =>
  `${usageLine({ call })}\n\n${about}\n\nFlags:\n${flagTable([...flags, HELP_FLAG])}\nExample:\n  ${call} ${example}\n`;
