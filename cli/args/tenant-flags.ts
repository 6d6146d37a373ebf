import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { namespaceOf } from '../cluster/names.ts';
import { usage } from '../io/failure.ts';

/** For lists and objects of a tenant, when the key is for several. */
export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  text: 'of this tenant, for keys of several',
};

/** The flags of a list. @param items what a page holds */
export const pageFlags = (items: string): readonly Flag[] => [
  { name: 'limit', value: 'N', text: `${items} on a page, 1 to 200 (50)` },
  { name: 'cursor', value: 'CURSOR', text: 'the next page' },
];

/** The parameters of these flags. */
export const pageQuery = (args: Args): Readonly<Record<string, string | undefined>> => ({
  limit: args.one('limit'),
  cursor: args.one('cursor'),
  namespace: args.one('namespace'),
});

/** An object as a command line names it. */
export interface NamedObject {
  /** Undefined: the one that the caller's key is for. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** `NAME` with `--namespace`, or `NAMESPACE/NAME`. @throws Failure (64) */
export function namedObject(text: string, args: Args): NamedObject {
  const flag = args.one('namespace');
  const slash = text.indexOf('/');
  const name = namespaceOf(text.slice(slash + 1), 'NAME');
  const given = flag === undefined ? undefined : namespaceOf(flag, '--namespace');
  if (slash < 0) return { namespace: given, name };
  const namespace = namespaceOf(text.slice(0, slash), 'NAMESPACE');
  if (given !== undefined && given !== namespace) throw usage('NAMESPACE/NAME or --namespace, not both');
  return { namespace, name };
}
