import type { Args } from '../../adapters/process/arguments.ts';
import { namespaceOf, objectName } from '../cluster/names.ts';
import { usage } from '../io/failure.ts';

/** The default name of the Secret with the keys. */
export const SECRET = 'orb-platform-keys';

/** `--secret=NAME`, or `--secret NAME`. @throws Failure (64) */
export function secretName(args: Args): string {
  const [inline = '', positional = ''] = [args.one('secret'), args.positionals[0]];
  if (inline !== '' && positional !== '') throw usage('the name of the Secret is given twice');
  return objectName(inline || positional || SECRET, '--secret');
}

/** @throws Failure (64) */
export function namespaceFor(args: Args, platform: string): string {
  const namespace = args.one('namespace');
  if (namespace !== undefined && args.has('platform-namespace'))
    throw usage('-n or --platform-namespace, not both: here they mean the same');
  return namespaceOf(namespace ?? platform, '-n');
}
