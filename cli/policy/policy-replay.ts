import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { EXIT, invalid, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt, type Format } from '../io/output.ts';
import { findPolicy, NAMESPACE, placeOfPolicy } from './find-policy.ts';
import { inNamespace, policiesIn, type SentPolicy } from './policy-files.ts';
import { printRefusal } from './print-refusal.ts';
import { parseFailIf, replayVerdict, type FailIf } from './replay-conditions.ts';
import { REPLAY_FLAGS, replayRequest, waitLimit } from './replay-request.ts';
import { changesText, replayText, verdictText } from './replay-text.ts';
import { againLine, readReplay, replayPath, waitForReplay, type ReplayRef } from './wait-for-replay.ts';

const TIMEOUT_MS = 30_000;
/** Changed runs that the text shows. */
const SHOWN_CHANGES = 10;

const EXITS = { passed: EXIT.ok, failed: EXIT.negative, undecidable: EXIT.invalid } as const;

/** What the command line replays; the three exclude each other. */
type Subject =
  | { readonly kind: 'draft'; readonly policy: SentPolicy }
  | { readonly kind: 'stored'; readonly name: string }
  | { readonly kind: 'replay'; readonly id: string };

async function draftIn(args: Args, io: Io): Promise<Subject> {
  const policies = await policiesIn(args.all('file'), io);
  const [policy] = policies;
  if (policy === undefined || policies.length > 1)
    throw invalid(`${args.all('file').join(', ')}: a replay tries one policy, not ${policies.length}`);
  return { kind: 'draft', policy };
}

async function subjectOf(args: Args, io: Io): Promise<Subject> {
  const [name] = args.positionals;
  const id = args.one('id');
  const given = [name !== undefined, args.has('file'), id !== undefined].filter(Boolean).length;
  if (given !== 1) throw usage('one of NAME, -f FILE or --id REPLAY_ID: what to replay, or which replay to show');
  if (args.has('digest') && name === undefined) throw usage('--digest is for NAME: a stored version of it');
  if (id !== undefined) return { kind: 'replay', id };
  return name === undefined ? draftIn(args, io) : { kind: 'stored', name };
}

interface Shown {
  readonly format: Format;
  readonly limits: readonly FailIf[];
  readonly io: Io;
}

/** Some runs whose result changes. That they can't be read changes no verdict. */
async function changesOf(server: Server, ref: ReplayRef, io: Io): Promise<string> {
  const path = replayPath(ref, '/changes', { limit: String(SHOWN_CHANGES) });
  const headers = { accept: 'application/json' };
  const reply = await fetchReply(server, { method: 'GET', path, headers, timeoutMs: TIMEOUT_MS }, io);
  return reply.kind === 'problem' ? '' : changesText(listAt(reply.value, 'items'));
}

interface ShownReplay {
  readonly ref: ReplayRef;
  readonly value: JsonObject;
}

async function printReplay(server: Server, { ref, value }: ShownReplay, { format, limits, io }: Shown): Promise<Exit> {
  if (format === 'json' || format === 'yaml') io.out(await dataText(value, format));
  else if (format === 'name') io.out(`${ref.id}\n`);
  else io.out(replayText(value));
  if (textAt(value, 'status') === 'running') {
    io.err(`${againLine(ref, io)}\n`);
    return EXIT.ok;
  }
  const verdict = replayVerdict(value, limits);
  if (format === 'text') io.out(`${await changesOf(server, ref, io)}${verdictText(verdict)}`);
  else io.err(verdictText(verdict));
  return EXITS[verdict.kind];
}

/** What is sent to begin a replay. */
interface Begin {
  readonly kind: 'begin';
  readonly namespace: string | undefined;
  readonly body: JsonObject;
}

type Problem = Extract<Reply, { kind: 'problem' }>;

interface Api {
  readonly server: Server;
  readonly io: Io;
}

const namespaceIn = (policy: JsonObject): string | undefined => {
  const written = member(objectAt(policy, 'metadata'), 'namespace');
  return typeof written === 'string' ? written : undefined;
};

/** A policy by its name: a version by its digest, else the policy as it stands, which may not be in force. */
async function storedBegin(text: string, args: Args, { server, io }: Api): Promise<Begin | Problem> {
  const name = namedObject(text, args);
  const digest = args.one('digest');
  const found = await (digest === undefined ? findPolicy(server, name, io) : placeOfPolicy(server, name, io));
  if (found.kind === 'problem') return found;
  const { place } = found;
  const policy =
    found.kind === 'found'
      ? { policy: { metadata: { ...place }, spec: objectAt(found.value, 'spec') } }
      : { ref: `${place.namespace}/${place.name}`, digest: digest ?? '' };
  return { kind: 'begin', namespace: place.namespace, body: { ...policy, ...replayRequest(args, io) } };
}

async function beginOf(subject: Exclude<Subject, { kind: 'replay' }>, args: Args, api: Api): Promise<Begin | Problem> {
  if (subject.kind === 'stored') return storedBegin(subject.name, args, api);
  const policy = inNamespace(subject.policy, args.one('namespace'));
  return { kind: 'begin', namespace: namespaceIn(policy), body: { policy, ...replayRequest(args, api.io) } };
}

interface First {
  readonly reply: Reply;
  readonly namespace: string | undefined;
}

/** The first answer about a replay: to its begin, or the one that `--id` names. */
async function firstReply(subject: Subject, args: Args, { server, io }: Api): Promise<First> {
  if (subject.kind === 'replay') {
    const namespace = args.one('namespace');
    return { reply: await readReplay(server, { id: subject.id, namespace }, io), namespace };
  }
  const begin = await beginOf(subject, args, { server, io });
  if (begin.kind === 'problem') return { reply: begin, namespace: undefined };
  const { namespace } = begin;
  const headers = { accept: 'application/json' };
  const body = JSON.stringify(begin.body);
  const request = { method: 'POST', path: 'policies/replay', headers, body, timeoutMs: TIMEOUT_MS } as const;
  return { reply: await fetchReply(server, request, io), namespace };
}

/** The policy that the body of the request held, for the places of its errors. */
const sentBy = (subject: Subject) =>
  subject.kind === 'draft' ? { policy: subject.policy, pointer: '/policy' } : undefined;

export const policyReplayVerb: Verb = {
  usage: '[NAME]',
  count: [0, 1],
  flags: [
    { name: 'file', short: 'f', value: 'FILE', text: 'file with the draft; - is standard input' },
    { name: 'digest', value: 'DIGEST', text: 'this version of NAME (NAME as it stands)' },
    { name: 'id', value: 'REPLAY_ID', text: 'show this replay' },
    ...REPLAY_FLAGS,
    {
      name: 'fail-if',
      value: 'LIMIT',
      repeats: true,
      text: "exit 1 when it holds, such as 'new-denies>0' or 'indeterminate>=5%'; waits for the result",
    },
    { name: 'wait', text: 'wait for the result' },
    { name: 'timeout', value: 'DURATION', text: 'longest wait', fallback: '30m' },
    { ...NAMESPACE, text: 'namespace of the policy, for keys of several tenants' },
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: `Says what a policy would have decided about your runs of the window, from the facts that their signed receipts stand
for. Nothing is enforced. Without --wait it prints the id of the replay, which goes on by itself. A replay over all
runs of the window counts for the gate of this version (spec.promotion.requireReplay).

Limits of --fail-if: new-denies, new-allows, obligations-changed, errors, indeterminate, then > or >= and a number,
with % a share of the decided runs.

Exit 0: gate and limits are met; 1: one is not; 2: the policy is invalid, or the replay decided nothing.`,
  examples: [
    "{orb} policy replay -f policies/day-budget.yaml --window 168h --fail-if 'new-denies>0'",
    '{orb} policy replay day-budget --wait',
    '{orb} policy replay --id rpl_01a1f866-0dfa-7001-8000-000000001eef',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const limits = args.all('fail-if').map(parseFailIf);
    const limitMs = waitLimit(args);
    const subject = await subjectOf(args, io);
    if (subject.kind !== 'replay') replayRequest(args, io);
    const server = await findServer(args, io);
    const { reply: first, namespace } = await firstReply(subject, args, { server, io });
    if (first.kind === 'problem') return printRefusal(first, sentBy(subject), server, { format, io });
    const ref = { id: textAt(first.value, 'replay_id'), namespace };
    const waits = args.has('wait') || limits.length > 0;
    const isRunning = textAt(first.value, 'status') === 'running';
    if (!waits || !isRunning) return printReplay(server, { ref, value: first.value }, { format, limits, io });
    io.err(`${ref.id} runs\n`);
    const reply = await waitForReplay(server, ref, limitMs, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    return printReplay(server, { ref, value: reply.value }, { format, limits, io });
  },
};
