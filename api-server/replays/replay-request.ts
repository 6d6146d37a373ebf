import type { Catalog } from '../../adapters/catalog/port.ts';
import type { ReplayJob } from '../../adapters/replay-worker/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { PolicyDefinition } from '../../core/policy/document/definition.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { policySources } from './policy-sources.ts';

/** A replay that a caller asks for; its policy compiles. */
export interface ReplayRequest extends Pick<
  ReplayJob,
  'from' | 'until' | 'filter' | 'sample' | 'baseline' | 'stateful'
> {
  readonly tenant: string;
  /** The policy that is replayed. */
  readonly definition: PolicyDefinition;
  /** The policies in force, with the replayed one enforced in place of the one of its name. */
  readonly candidate: PolicySet;
  readonly current: PolicySet;
}

interface JobParts {
  readonly catalog: Pick<Catalog, 'orbisets'>;
  readonly keys: KeysDocument;
  /** ms since epoch */
  readonly now: number;
}

/** What the thread of the replay is given. */
export function replayJob(request: ReplayRequest, { catalog, keys, now }: JobParts): ReplayJob {
  const { tenant, from, until, filter, sample, baseline, stateful, candidate, current } = request;
  return {
    tenant,
    from,
    until,
    filter,
    sample,
    baseline,
    stateful,
    keys,
    now,
    candidate: policySources(candidate),
    current: policySources(current),
    orbisets: Object.fromEntries(catalog.orbisets(tenant).map(({ fullName, policies }) => [fullName, policies])),
  };
}

const time = (at: number): string => new Date(at).toISOString();

/** What a replay was asked for, as it is stored, signed and shown. */
export const requestJson = ({
  from,
  until,
  filter,
  sample,
  baseline,
  stateful,
  candidate,
}: ReplayRequest): JsonObject => ({
  engine: CEL_ENGINE.id,
  policy_set_digest: candidate.digest,
  baseline,
  window: { from: time(from), to: time(until) },
  filter: { orb_ids: filter.orbIds, orbisets: filter.orbisets },
  sample: { percent: sample.percent, seed: sample.seed },
  stateful,
});

/** Whether the replay looks at every receipt of its window. */
export const isWhole = ({ filter, sample }: ReplayRequest): boolean =>
  filter.orbIds.length === 0 && filter.orbisets.length === 0 && sample.percent >= 100;
