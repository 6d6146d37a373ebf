import { parseAllowRules } from '../../adapters/egress/allow-rules.ts';
import { readAuthorities } from '../../adapters/egress/authorities.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { EGRESS_ALLOW, EGRESS_CA, EGRESS_STUB } from '../../adapters/process/shared-flags.ts';
import { UsageError } from '../../adapters/process/start-error.ts';
import { usage } from '../io/failure.ts';

/** Exceptions of the dialer, as `npm start` and `npm run cluster` take them. */
export const EGRESS_FLAGS: readonly Flag[] = [
  { ...EGRESS_ALLOW, text: 'an origin that Orbs may call, as for npm start and npm run cluster' },
  { ...EGRESS_STUB, text: 'an https origin whose traffic goes to a stub, as for npm start' },
  { ...EGRESS_CA, text: 'a CA for these two; checked to be one, and used by npm start alone' },
];

/** Origins that are exempt from the rules about hosts. @throws Failure a flag is malformed */
export async function allowedOriginsOf(args: Args): Promise<readonly string[]> {
  const parsed = parseAllowRules(args.all(EGRESS_ALLOW.name), args.all(EGRESS_STUB.name));
  if (!parsed.ok) throw usage(parsed.errors.join('\n'));
  try {
    await readAuthorities(args.all(EGRESS_CA.name));
  } catch (error) {
    throw error instanceof UsageError ? usage(error.message) : error;
  }
  return parsed.exceptions.map(({ origin }) => origin);
}
