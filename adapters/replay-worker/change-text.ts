import type { JsonObject } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { Trace } from '../../core/policy/language/port.ts';
import type { Compared, ReplayInput } from '../../core/policy/simulation/replay-walk.ts';
import { MAX_JSON_BYTES } from '../ledger/tables/policy-decisions.ts';

/** A run that a replay decides otherwise. */
export type Change = Exclude<Compared, { readonly kind: 'indeterminate' }> & {
  readonly stateful: 'as_recorded' | 'recomputed';
};

const traceJson = ({ expr, value, args }: Trace): JsonObject =>
  args.length === 0 ? { expr, value } : { expr, value, args: args.map(traceJson) };

/** Values of the parts of the rule that denies now. @param id `namespace/name/rule` */
function traceOf(set: PolicySet, id: string, change: Change): JsonObject | undefined {
  const slash = id.lastIndexOf('/');
  const compiled = set.members.find((one) => one.id === id.slice(0, slash))?.compiled;
  const index = compiled?.rules.findIndex(({ name }) => name === id.slice(slash + 1)) ?? -1;
  const trace = index === -1 ? undefined : compiled?.trace(change.result.facts, index);
  return trace && traceJson(trace);
}

/**
 * A change as it is stored and shown.
 * @param set with the rules to trace; undefined: without trace
 */
export function changeText({ receiptId, at, orbId, caller }: ReplayInput, change: Change, set?: PolicySet): string {
  const { kind, from, to, rule, stateful } = change;
  const { namespace, name } = objectAt(change.result.facts, 'orbiset');
  const json = {
    receipt_id: receiptId,
    at: new Date(at).toISOString(),
    orb_id: orbId,
    orbiset: typeof namespace === 'string' && typeof name === 'string' ? `${namespace}.${name}` : '',
    caller,
    kind,
    from,
    to,
    rule,
    stateful,
  };
  const trace = set !== undefined && to === 'deny' ? traceOf(set, rule, change) : undefined;
  const text = JSON.stringify(trace === undefined ? json : { ...json, trace });
  return Buffer.byteLength(text) <= MAX_JSON_BYTES ? text : JSON.stringify(json);
}
