import type { Flag } from '../../adapters/process/flag.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { withQuery } from '../api/print-page.ts';
import type { NamedObject } from '../args/tenant-flags.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';

const TIMEOUT_MS = 30_000;
const PAGE = '200';

export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  text: 'of this namespace, for keys of several tenants',
};

/** What every verb about one policy says of its argument. */
export const ABOUT_NAME =
  'NAME may be NAMESPACE/NAME. Without a namespace it is the policy of this name that your key sees, your own first.';

/** A policy whose namespace is known. */
export interface PolicyPlace {
  readonly namespace: string;
  readonly name: string;
}

type Problem = Extract<Reply, { kind: 'problem' }>;

/** A policy of the API with the version for `If-Match`; undefined: the API gave none. */
export interface FoundPolicy {
  readonly kind: 'found';
  readonly place: PolicyPlace;
  readonly value: JsonObject;
  readonly etag: string | undefined;
}

/** Path of a policy, relative to the address of the API. */
export const policyPath = ({ namespace, name }: PolicyPlace, rest = ''): string =>
  `policies/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${rest}`;

const get = (server: Server, path: string, io: Io): Promise<Reply> =>
  fetchReply(server, { method: 'GET', path, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS }, io);

const isForAll = (policy: JsonValue): boolean => textAt(member(policy, 'spec'), 'scope') === 'Platform';

/** The policies of a name in the list of the caller, its own before one of the platform. */
async function named(server: Server, name: string, io: Io): Promise<readonly JsonValue[] | Problem> {
  const found: JsonValue[] = [];
  let cursor: string | undefined;
  do {
    const reply = await get(server, withQuery('policies', { limit: PAGE, cursor }), io);
    if (reply.kind === 'problem') return reply;
    found.push(...listAt(reply.value, 'items').filter((item) => textAt(objectAt(item, 'metadata'), 'name') === name));
    const next = member(reply.value, 'next_cursor');
    cursor = typeof next === 'string' ? next : undefined;
  } while (cursor !== undefined);
  return found.toSorted((one, other) => Number(isForAll(one)) - Number(isForAll(other)));
}

const isProblem = (found: readonly JsonValue[] | Problem): found is Problem => 'kind' in found;

/**
 * The namespace of a policy; the list of policies is read when the command line names none.
 * @throws Failure (2) the caller sees no such policy
 */
export async function placeOfPolicy(
  server: Server,
  { namespace, name }: NamedObject,
  io: Io,
): Promise<{ readonly kind: 'place'; readonly place: PolicyPlace } | Problem> {
  if (namespace !== undefined) return { kind: 'place', place: { namespace, name } };
  const found = await named(server, name, io);
  if (isProblem(found)) return found;
  const [first] = found;
  if (first === undefined) throw invalid(`there is no policy ${name}`, 'orb policy list shows those of your key');
  return { kind: 'place', place: { namespace: textAt(objectAt(first, 'metadata'), 'namespace'), name } };
}

/** Reads a policy. */
export async function readPolicy(server: Server, place: PolicyPlace, io: Io): Promise<FoundPolicy | Problem> {
  const reply = await get(server, policyPath(place), io);
  return reply.kind === 'problem' ? reply : { kind: 'found', place, value: reply.value, etag: reply.etag };
}

/** Finds and reads a policy. @throws Failure (2) the caller sees no such policy */
export async function findPolicy(server: Server, name: NamedObject, io: Io): Promise<FoundPolicy | Problem> {
  const found = await placeOfPolicy(server, name, io);
  return found.kind === 'problem' ? found : readPolicy(server, found.place, io);
}
