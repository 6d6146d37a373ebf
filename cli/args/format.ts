import { usage } from '../io/failure.ts';
import { printable, type Format } from '../io/output.ts';
import type { Args } from '../../adapters/process/arguments.ts';

const isFormat = (text: string): text is Format => ['text', 'wide', 'json', 'yaml', 'name'].includes(text);

/** The value of `--output`. @throws Failure a format that the verb doesn't have */
export function formatOf(args: Args, allowed: readonly Format[]): Format {
  const text = args.one('output') ?? 'text';
  if (!isFormat(text) || !allowed.includes(text)) {
    throw usage(`-o ${printable(text)}: this verb prints ${allowed.filter((name) => name !== 'text').join(' or ')}`);
  }
  return text;
}
