import type { Args } from '../../adapters/process/arguments.ts';
import { namespaceQuery } from '../api/print-answer.ts';

/** Path of the decision that the first argument names, relative to the address of the API. */
export const decisionPath = (args: Args, rest = ''): string =>
  `decisions/${encodeURIComponent(args.positionals[0] ?? '')}${rest}${namespaceQuery(args)}`;
