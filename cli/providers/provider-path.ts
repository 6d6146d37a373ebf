import { orbIdOf } from '../args/orb-id.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';

/** Flag of every verb about the providers of one Orb. */
export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  text: 'of this tenant, for keys of several',
};

/** `providers/{orb_id}/…` for the Orb that the first argument names. @throws Failure */
export function providerPath(args: Args, last: 'status' | 'swap' | 'pin'): string {
  const namespace = args.one('namespace');
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return `providers/${encodeURIComponent(orbIdOf(args.positionals[0] ?? ''))}/${last}${query}`;
}
