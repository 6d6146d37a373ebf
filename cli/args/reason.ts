import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { usage } from '../io/failure.ts';

/** Why an act is done: it becomes public with the log entry of the act. */
export const REASON: Flag = { name: 'reason', value: 'TEXT', text: 'why; it becomes public in the log' };

/** @throws Failure (64) none is given */
export function reasonOf(args: Args): string {
  const reason = args.one('reason');
  if (reason === undefined) throw usage('--reason TEXT is missing: it becomes public in the log');
  return reason;
}
