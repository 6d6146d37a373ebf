import type { Args } from '../../adapters/process/arguments.ts';
import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/**
 * Whether a verdict is printed as JSON. `--output` is the output of the run in this verb, so `-o` has a name of its own.
 * @throws Failure another format
 */
export function printsJson(args: Args): boolean {
  const format = args.one('format');
  if (format !== undefined && format !== 'json' && format !== 'text')
    throw usage(`-o ${printable(format)}: this verb prints text or json`);
  return args.has('json') || format === 'json';
}
