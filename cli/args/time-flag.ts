import type { Args } from '../../adapters/process/arguments.ts';
import { parseDuration } from '../../core/time/duration.ts';
import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/**
 * The time that a flag names, in the format of the API: a time, or `2h` for two hours ago.
 * @param now ms since the epoch
 * @returns undefined: the flag was not given
 * @throws Failure (64)
 */
export function timeOf(args: Args, name: string, now: number): string | undefined {
  const text = args.one(name);
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  const ms = ago === undefined ? Date.parse(text) : now - ago;
  if (Number.isNaN(ms))
    throw usage(`--${name} ${printable(text)}: a time such as 2026-11-20T10:00:00Z, or 2h for two hours ago`);
  return new Date(ms).toISOString();
}
