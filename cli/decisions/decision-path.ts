import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { namespaceQuery } from '../api/print-answer.ts';

export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  text: 'of this tenant, for keys of several',
};

/** Path of the decision that the first argument names, relative to the address of the API. */
export const decisionPath = (args: Args, rest = ''): string =>
  `decisions/${encodeURIComponent(args.positionals[0] ?? '')}${rest}${namespaceQuery(args)}`;
