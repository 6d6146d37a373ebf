import type { StoredTotals } from '../../../adapters/ledger/port.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { definePolicy } from '../../../core/policy/document/definition.ts';
import { gateVerdict, type GateVerdict } from '../../../core/policy/simulation/gate.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { specOf } from '../../../core/reconcile/read-object.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Member } from '../../http/read-members.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { closed, text } from '../../http/schemas.ts';
import { policyEtag } from '../../policy/policy-objects.ts';
import type { PolicyPlace } from '../../policy/port.ts';
import { problemErrors, readBody, readPolicy } from './policy-body.ts';
import { checkSpec, placed } from './policy-document.ts';
import { checksOf, type PolicyParts } from './policy-parts.ts';
import { ownPlace, placeParameters } from './policy-place.ts';
import { etagHeader, policyHeaders, policyJson, policyObjectSchema } from './policy-view.ts';
import { STORED_WORK } from './simulation-rate.ts';
import { notWritten, WRITE_PROBLEMS } from './write-answer.ts';

const MEMBERS: readonly Member[] = [
  {
    name: 'replay_id',
    accepts: (value) => typeof value === 'string',
    expected: 'the id of a finished replay of this version',
    optional: true,
  },
];

/** The policy as it is stored, when it can be enforced. */
async function stored(
  request: RouteRequest,
  parts: PolicyParts,
  place: PolicyPlace,
): Promise<Step<{ readonly policy: KubeObject; readonly spec: OrbPolicySpec }>> {
  const read = await parts.objects.read(place);
  if (read.kind === 'away') return refuse(problem(request, 'control-plane-unavailable'));
  const { policy } = read;
  if (policy === undefined) return refuse(problem(request, 'policy-not-found'));
  const checked = readPolicy(placed({ spec: specOf(policy) }, place));
  if (!checked.ok) return refuse(problem(request, 'policy-invalid', { errors: problemErrors(checked.findings) }));
  const { spec } = checked.value;
  const good = await checkSpec(request, place, spec, checksOf(parts));
  return good.ok ? { ok: true, value: { policy, spec } } : good;
}

const gateJson = ({ failing }: GateVerdict): JsonObject => ({
  passed: false,
  failing: failing.map(({ limit, allowed, actual }) => ({ limit, allowed, actual })),
});

/** @param replays of this version, the newest first @returns undefined: the gate is met, or there is none */
function gateFault(
  { promotion }: OrbPolicySpec,
  digest: string,
  replays: readonly StoredTotals[],
): { readonly gate: GateVerdict; readonly detail: string } | undefined {
  const required = promotion?.requireReplay;
  if (required === undefined) return undefined;
  const verdicts = replays.map((replay) => gateVerdict(required, digest, replay));
  if (verdicts.some(({ passed }) => passed)) return undefined;
  const [newest] = verdicts;
  return newest === undefined
    ? { gate: { passed: false, failing: [] }, detail: 'No replay of this version is finished.' }
    : { gate: newest, detail: 'The newest replay of this version is beyond the limits in gate.failing.' };
}

/** The gate of the version that is stored, by all its replays or by the one that the caller names. */
async function checkGate(
  request: RouteRequest,
  { ledger }: PolicyParts,
  { namespace, name }: PolicyPlace,
  { spec, replayId }: { readonly spec: OrbPolicySpec; readonly replayId: unknown },
): Promise<Step<undefined>> {
  const { digest } = definePolicy(namespace, name, spec);
  const all = await ledger.replayTotals(namespace, name, digest);
  const replays = replayId === undefined ? all : all.filter((one) => one.replayId === replayId);
  const fault = gateFault(spec, digest, replays);
  if (fault === undefined) return { ok: true, value: undefined };
  const { gate, detail } = fault;
  return refuse(problem(request, 'replay-gate-not-met', { detail, extensions: { gate: gateJson(gate) } }));
}

/** `POST /policies/{namespace}/{name}/promote` (policy.md §5): from Audit to Enforce. */
export function promoteRoute(parts: PolicyParts): Route {
  const { objects, logger, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request, STORED_WORK);
    if (refused !== undefined) return refused;
    const place = ownPlace(request);
    if (!place.ok) return place.reply;
    const body = readBody(request, MEMBERS);
    if (!body.ok) return body.reply;
    const found = await stored(request, parts, place.value);
    if (!found.ok) return found.reply;
    const { policy, spec } = found.value;
    const gate = await checkGate(request, parts, place.value, { spec, replayId: body.value['replay_id'] });
    if (!gate.ok) return gate.reply;
    const written = await objects.replace(
      place.value,
      // The gate was decided for this version.
      (current) => policyEtag(current) === policyEtag(policy),
      (current) => ({ spec: { ...specOf(current), mode: 'Enforce' }, labels: undefined, annotations: undefined }),
    );
    if (written.kind !== 'written') return notWritten(request, written);
    const { namespace, name } = place.value;
    logger.info('a policy is promoted', { caller: request.caller?.id, policy: `${namespace}/${name}` });
    return json(policyJson(written.policy), policyHeaders(written.policy));
  };
  return {
    method: 'post',
    path: '/policies/{namespace}/{name}/promote',
    scope: 'policies:write',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'promotePolicy',
      summary: 'Enforces a policy, when a replay of its version meets its gate',
      tags: ['policies'],
      parameters: placeParameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: closed(
              { replay_id: text('The replay that must meet the gate; default: one of this version is enough.') },
              ['replay_id'],
            ),
          },
        },
      },
      responses: {
        '200': {
          description: 'The policy.',
          headers: etagHeader,
          content: { 'application/json': { schema: policyObjectSchema } },
        },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'replay-gate-not-met',
        'ledger-unavailable',
        'rate-limited',
        'overloaded',
        ...WRITE_PROBLEMS,
      ],
    },
  };
}
