import type { Drafts } from '../../../adapters/draft-worker/port.ts';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { policySet, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { tenantOf } from '../../http/tenant.ts';
import type { ReplayRequest } from '../../replays/replay-request.ts';
import { MOST_RUNNING, type Replays } from '../../replays/replays.ts';
import { draftStep } from './draft-answer.ts';
import { draftSet, readDrafts } from './draft-set.ts';
import { problemErrors, readPolicy, tenantOfPolicy } from './policy-body.ts';
import { storedPolicy } from './recorded-set.ts';
import { readReplay, type AskedReplay } from './replay-body.ts';
import { replayBodySchema, startedSchema } from './replay-schemas.ts';
import type { SimulationRate } from './simulation-rate.ts';

export interface StartReplayParts {
  readonly ledger: Pick<Ledger, 'policyVersion'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly rate: SimulationRate;
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
  readonly replays: Pick<Replays, 'start'>;
  readonly drafts: Pick<Drafts, 'evaluate'>;
}

/** A policy to replay, and whose receipts. */
interface Subject {
  readonly tenant: string;
  readonly name: string;
  /** A document of kind OrbPolicy. */
  readonly policy: JsonValue;
}

function draftSubject(request: RouteRequest, policy: JsonValue): Step<Subject> {
  const choice = tenantOfPolicy(request, policy);
  if (choice.kind !== 'tenant')
    return refuse(problem(request, choice.kind === 'ambiguous' ? 'namespace-ambiguous' : 'namespace-not-found'));
  const read = readPolicy(policy);
  if (!read.ok) return refuse(problem(request, 'policy-invalid', { errors: underPolicy(read.findings, '') }));
  return { ok: true, value: { tenant: choice.tenant, name: read.value.metadata.name, policy } };
}

async function storedSubject(
  request: RouteRequest,
  ledger: StartReplayParts['ledger'],
  { namespace, name, digest }: Extract<AskedReplay['policy'], { readonly kind: 'stored' }>,
): Promise<Step<Subject>> {
  const isOwn = request.caller !== undefined && tenantOf(request.caller, namespace).kind === 'tenant';
  const version = isOwn ? await ledger.policyVersion(namespace, name, digest) : undefined;
  const read = version && storedPolicy(version);
  if (read === undefined) return refuse(problem(request, 'policy-not-found'));
  if (!read.ok) return refuse(problem(request, 'policy-invalid', { errors: underPolicy(read.findings, '') }));
  const { spec } = read.value;
  const policy: unknown = JSON.parse(JSON.stringify({ metadata: { namespace, name }, spec }));
  return { ok: true, value: { tenant: namespace, name, policy: jsonValue(policy) } };
}

const jsonValue = (value: unknown): JsonValue => (isJson(value) ? value : null);
const isJson = (value: unknown): value is JsonValue => value !== undefined;

/** Findings with pointers into the body. @param prefix that their pointers have */
const underPolicy = (findings: readonly Finding[], prefix: string): ReturnType<typeof problemErrors> =>
  problemErrors(findings.map((one) => ({ ...one, pointer: `/policy${one.pointer.slice(prefix.length)}` })));

async function requestOf(
  request: RouteRequest,
  { tenant, name, policy }: Subject,
  asked: AskedReplay,
  { policies, clock, drafts }: StartReplayParts,
): Promise<Step<ReplayRequest>> {
  const read = await readDrafts([policy], tenant);
  if (!read.ok)
    return refuse(problem(request, 'policy-invalid', { errors: underPolicy(read.findings, '/policies/0') }));
  const work = { policies: read.policies, facts: undefined, isTraced: false, now: clock.now() };
  const found = draftStep(request, await drafts.evaluate(work, tenant), '/policy');
  if (!found.ok) return found;
  const current = policies.of(tenant) ?? policySet([], []);
  const drafted = draftSet(current, read.policies, found.value, 'current+draft');
  if (!drafted.ok)
    return refuse(problem(request, 'policy-invalid', { errors: underPolicy(drafted.findings, '/policies/0') }));
  const definition = drafted.set.members.find(({ id }) => id === `${tenant}/${name}`)?.definition;
  if (definition === undefined) throw new TypeError('the set has the draft');
  const { baseline, stateful, from, until, filter, sample } = asked;
  return {
    ok: true,
    value: { tenant, definition, candidate: drafted.set, current, baseline, stateful, from, until, filter, sample },
  };
}

/** `POST /policies/replay` (policy.md §6): decides recorded runs again with a draft or a stored version. */
export function startReplayRoute(parts: StartReplayParts): Route {
  const { ledger, clock, logger, rate, replays } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const asked = readReplay(request, clock.now());
    if (!asked.ok) return asked.reply;
    const { policy } = asked.value;
    const subject =
      policy.kind === 'draft' ? draftSubject(request, policy.value) : await storedSubject(request, ledger, policy);
    if (!subject.ok) return subject.reply;
    const wanted = await requestOf(request, subject.value, asked.value, parts);
    if (!wanted.ok) return wanted.reply;
    const { tenant, definition } = wanted.value;
    const replayId = await replays.start(wanted.value);
    if (replayId === undefined) {
      const detail = `${MOST_RUNNING} replays of the tenant run already: wait for one, or cancel it.`;
      return problem(request, 'rate-limited', { detail, headers: { 'retry-after': '5' } });
    }
    const about = { caller: request.caller?.id, tenant, policy: definition.name, policy_digest: definition.digest };
    logger.info('a policy is replayed', { ...about, replay_id: replayId });
    const started = json({ replay_id: replayId, status: 'running' }, { location: `/replays/${replayId}` });
    return { ...started, status: 202 };
  };
  return {
    method: 'post',
    path: '/policies/replay',
    scope: 'policies:simulate',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'replayPolicy',
      summary: 'Decides recorded runs of the tenant again with a policy',
      description:
        'The policy counts as enforced, beside the others in force. A replay that leaves receipts of its window out, by a filter or a sample, does not count for the gate.',
      tags: ['policies'],
      parameters: [namespaceParameter],
      requestBody: { required: true, content: { 'application/json': { schema: replayBodySchema } } },
      responses: {
        '202': {
          description: 'It runs.',
          headers: { Location: { description: 'Where its result will be.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: startedSchema } },
        },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'policy-invalid',
        'policy-not-found',
        'namespace-not-found',
        'namespace-ambiguous',
        'rate-limited',
        'overloaded',
        'ledger-unavailable',
      ],
    },
  };
}
