import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import type { NamedObject } from '../args/tenant-flags.ts';
import { namespaceOf } from '../cluster/names.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt } from '../io/output.ts';
import { NAMESPACE, placeOfPolicy, policyPath, readPolicy, type FoundPolicy } from './find-policy.ts';
import { inNamespace, policiesIn } from './policy-files.ts';
import { FILE } from './policy-flags.ts';
import { idOfPolicy, policyLine } from './policy-text.ts';
import { printRefusal } from './print-refusal.ts';

const TIMEOUT_MS = 30_000;

type Problem = Extract<Reply, { kind: 'problem' }>;
type Written =
  | { readonly kind: 'written'; readonly how: 'created' | 'replaced' | 'unchanged'; readonly value: JsonObject }
  | Problem;

const HEADERS = { accept: 'application/json' };

const generationOf = (policy: JsonObject): string => textAt(objectAt(policy, 'metadata'), 'generation');

async function create(server: Server, policy: JsonObject, io: Io): Promise<Written> {
  const body = JSON.stringify(policy);
  const request = { method: 'POST', path: 'policies', headers: HEADERS, body, timeoutMs: TIMEOUT_MS } as const;
  const reply = await fetchReply(server, request, io);
  return reply.kind === 'problem' ? reply : { kind: 'written', how: 'created', value: reply.value };
}

/** Replaces exactly the version that was read. */
async function replace(server: Server, found: FoundPolicy, policy: JsonObject, io: Io): Promise<Written> {
  const headers = { ...HEADERS, 'if-match': found.etag ?? '' };
  const body = JSON.stringify(policy);
  const request = { method: 'PUT', path: policyPath(found.place), headers, body, timeoutMs: TIMEOUT_MS } as const;
  const reply = await fetchReply(server, request, io);
  if (reply.kind === 'problem') return reply;
  const how = generationOf(reply.value) === generationOf(found.value) ? 'unchanged' : 'replaced';
  return { kind: 'written', how, value: reply.value };
}

const hasCode = ({ value }: Problem, code: string): boolean => member(value, 'code') === code;

/** The API chooses the namespace of a new policy that names none: that of the caller's key. */
async function applyUnplaced(server: Server, name: NamedObject, policy: JsonObject, io: Io): Promise<Written> {
  const created = await create(server, policy, io);
  if (created.kind === 'written' || !hasCode(created, 'already-exists')) return created;
  const found = await placeOfPolicy(server, name, io);
  if (found.kind === 'problem') return found;
  const read = await readPolicy(server, found.place, io);
  return read.kind === 'problem' ? read : replace(server, read, policy, io);
}

async function apply(server: Server, policy: JsonObject, io: Io): Promise<Written> {
  const metadata = objectAt(policy, 'metadata');
  const [name, namespace] = [textAt(metadata, 'name'), textAt(metadata, 'namespace')];
  if (namespace === '' || name === '') return applyUnplaced(server, { namespace: undefined, name }, policy, io);
  const read = await readPolicy(server, { namespace, name }, io);
  if (read.kind === 'found') return replace(server, read, policy, io);
  return hasCode(read, 'policy-not-found') ? create(server, policy, io) : read;
}

/** The files of `--file`. @throws Failure (64) there is none */
function filesOf(args: Args): readonly string[] {
  const files = args.all('file');
  if (files.length === 0) throw usage('-f FILE is missing: the file or folder with the policies');
  return files;
}

export const policyApplyVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [FILE, NAMESPACE, ...SERVER_FLAGS, OUTPUT_LIST],
  about: `Creates each policy of the files, or replaces its spec, one after the other; the first problem ends it. Objects of
other kinds are left out, and so is status. A policy that was changed between reading and writing is not replaced.
A policy that kubectl, Argo CD, Flux or a file of --resources keeps is changed there: the answer shows the change.`,
  examples: ['{orb} policy apply -f policies/day-budget.yaml', '{orb} policy apply -f policies/ -n acme'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const flag = args.one('namespace');
    const namespace = flag === undefined ? undefined : namespaceOf(flag, '--namespace');
    const policies = await policiesIn(filesOf(args), io);
    const bodies = policies.map((policy) => ({ policy, body: inNamespace(policy, namespace) }));
    const server = await findServer(args, io);
    const items: JsonObject[] = [];
    for (const { policy, body } of bodies) {
      const written = await apply(server, body, io);
      if (written.kind === 'problem') {
        if (policies.length > 1) io.err(`${items.length} of ${policies.length} policies are applied\n`);
        return printRefusal(written, { policy, pointer: '' }, server, { format, io });
      }
      items.push(written.value);
      if (format === 'name') io.out(`${idOfPolicy(written.value)}\n`);
      else if (format === 'text') io.out(`${written.how.padEnd(9)}  ${policyLine(written.value)}`);
    }
    if (format === 'json' || format === 'yaml') io.out(await dataText({ items }, format));
    return EXIT.ok;
  },
};
