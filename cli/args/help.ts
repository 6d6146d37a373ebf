import { flagTable } from '../../adapters/process/help.ts';
import type { Io } from '../io/io.ts';
import { table } from '../io/output.ts';
import { flagsOf } from './parse-args.ts';
import type { Verb, VerbEntry } from './verb.ts';

const EXITS =
  'Exit codes: 0 ok, 1 negative result, 2 invalid input, 3 not trusted, 4 service not reached, 64 wrong usage.';

/** Help of one verb. */
export function verbHelp({ name, summary }: VerbEntry, verb: Verb, io: Pick<Io, 'program'>): string {
  const about = verb.about === undefined ? '' : `\n${verb.about}\n`;
  const examples = verb.examples.map((line) => `  ${line.replaceAll('{orb}', io.program)}\n`).join('');
  const usage = `orb ${name}${verb.usage === '' ? '' : ` ${verb.usage}`} [flags]`;
  return `${usage}\n\n${summary}\n${about}\nFlags:\n${flagTable(flagsOf(verb))}\nExample${verb.examples.length > 1 ? 's' : ''}:\n${examples}\n${EXITS}\n`;
}

/** What `orb help` prints: every verb with its line. */
export function overview(verbs: readonly VerbEntry[], io: Pick<Io, 'program' | 'version'>): string {
  const rows = verbs.map(({ name, summary }) => [`  ${name}`, summary]);
  const words = [...rows, ['  help [VERB]', 'Prints the help of a verb.'], ['  --version', 'Prints the version.']];
  return `orb ${io.version}: executes Orbs and verifies their receipts\n\n${table(words)}\n${io.program} help run    shows one verb with an example\n${EXITS}\n`;
}
