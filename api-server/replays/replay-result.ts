import type { ReplayUpdate } from '../../adapters/ledger/port.ts';
import type { ReplayProgress } from '../../adapters/replay-worker/port.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { gateVerdict } from '../../core/policy/simulation/gate.ts';
import { signJws } from '../../core/receipt/jws.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import { isWhole, requestJson, type ReplayRequest } from './replay-request.ts';

type Totals = Required<ReplayUpdate>['totals'];

/**
 * What the gate of the version decides by. A replay that left receipts of its window out has a window of 0: what it did
 * not look at could hold every denial.
 */
export const totalsOf = (request: ReplayRequest, { totals }: ReplayProgress): Totals => ({
  ...totals,
  windowMs: isWhole(request) ? request.until - request.from : 0,
});

/** How far a replay is, or its result, as it is stored and shown. @param elapsedMs since it began */
export function resultJson({ summary, verified, changesLeftOut }: ReplayProgress, elapsedMs: number): JsonObject {
  const { evaluated, counts, as_recorded: asRecorded, recomputed, affected, indeterminate } = summary;
  return {
    evaluated,
    elapsed_ms: Math.round(elapsedMs),
    counts: { ...counts },
    as_recorded: asRecorded && { ...asRecorded },
    recomputed: recomputed && { ...recomputed },
    affected: {
      orbs: affected.orbs.map(([name, count]) => [name, count]),
      callers: affected.callers.map(([name, count]) => [name, count]),
      first: affected.first,
      last: affected.last,
    },
    indeterminate: indeterminate.map(({ reason, fact, count }) => ({
      reason,
      ...(fact === undefined ? {} : { fact }),
      count,
    })),
    verified: { ...verified },
    changes_left_out: changesLeftOut,
  };
}

/** The verdict of the gate that the policy asks for; null: it asks for none. */
export function gateJson({ definition }: ReplayRequest, totals: Totals): JsonObject | null {
  const required = definition.spec.promotion?.requireReplay;
  if (required === undefined) return null;
  const { digest } = definition;
  const { passed, failing } = gateVerdict(required, digest, { ...totals, policyDigest: digest });
  return { passed, failing: failing.map(({ limit, allowed, actual }) => ({ limit, allowed, actual })) };
}

/** A finished replay. */
interface FinishedReplay {
  readonly replayId: string;
  readonly issuer: string;
  readonly request: ReplayRequest;
  readonly result: JsonObject;
  /** ms since epoch */
  readonly endedAt: number;
}

/** The result, signed with the receipt key as `orb-replay+jws` (policy.md §6). */
export function signedResult(
  { replayId, issuer, request, result, endedAt }: FinishedReplay,
  { signer, encoding }: Pick<SealTools, 'signer' | 'encoding'>,
): string {
  const { namespace, name, digest } = request.definition;
  const payload = {
    issuer,
    replay_id: replayId,
    tenant: request.tenant,
    policy: `${namespace}/${name}`,
    policy_digest: digest,
    ended_at: new Date(endedAt).toISOString(),
    request: requestJson(request),
    result,
  };
  return signJws(jcs(payload), 'orb-replay+jws', signer, encoding);
}
