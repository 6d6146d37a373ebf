import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { table, textAt } from '../io/output.ts';

/** A member as text for people; `–` when it is not known. */
export const shown = (value: JsonValue, name: string, unit = ''): string => {
  const text = textAt(value, name);
  return text === '' || text === 'null' ? '–' : `${text}${unit}`;
};

export const isThere = (value: JsonValue, name: string): boolean =>
  typeof member(value, name) === 'object' && member(value, name) !== null;

const replicaOf = (status: JsonObject): JsonObject => objectAt(status, 'this_replica');

/** What the answering replica knows of a provider. */
export const seenBy = (status: JsonObject, name: string): JsonValue | undefined =>
  listAt(replicaOf(status), 'providers').find((one) => textAt(one, 'name') === name);

function failureText(seen: JsonValue): string {
  const failure = objectAt(seen, 'last_failure');
  const run = shown(failure, 'run_id');
  return `${textAt(failure, 'detail')} (${textAt(failure, 'reason')}, ${textAt(failure, 'at')}${run === '–' ? '' : `, ${run}`})`;
}

/** Breakers that are not closed and last failures, a line each, with the replica that they are of. */
export function troubleText(status: JsonObject): string {
  const lines = listAt(replicaOf(status), 'providers').flatMap((seen): readonly (readonly string[])[] => {
    const name = textAt(seen, 'name');
    const breaker = textAt(seen, 'breaker');
    const [since, until, paused] = [shown(seen, 'since'), shown(seen, 'until'), shown(seen, 'paused_until')];
    return [
      ...(breaker === 'closed' ? [] : [[name, 'breaker', `${breaker} since ${since}, next attempt ${until}`]]),
      ...(paused === '–' ? [] : [[name, 'pause', `asked for by the provider, until ${paused}`]]),
      ...(isThere(seen, 'last_failure') ? [[name, 'last failure', failureText(seen)]] : []),
    ];
  });
  const elsewhere = listAt(status, 'providers').flatMap((one): readonly (readonly string[])[] => {
    const [name, replica] = [textAt(one, 'name'), shown(one, 'breaker_replica')];
    if (replica === '–' || replica === textAt(replicaOf(status), 'name')) return [];
    return [[name, 'breaker', `${shown(one, 'breaker')} in replica ${replica}`]];
  });
  if (lines.length + elsewhere.length === 0) return '';
  const head = lines.length === 0 ? '' : `seen by replica ${textAt(replicaOf(status), 'name')}:\n`;
  return `\n${head}${table([...lines, ...elsewhere])}`;
}

const seenFailing = (seen: JsonValue | undefined): boolean =>
  textAt(seen, 'breaker') === 'open' || Number(member(seen, 'failures') ?? 0) > 0;

/**
 * Whether every provider that can be called fails: the last attempt in the answering replica, all attempts in the window
 * of the metrics, or an open breaker in any replica.
 */
export function allFail(status: JsonObject): boolean {
  const callable = listAt(status, 'providers').filter((one) => member(one, 'resolved') !== false);
  const fails = (one: JsonValue): boolean =>
    textAt(one, 'breaker') === 'open' ||
    member(one, 'error_ratio') === 1 ||
    seenFailing(seenBy(status, textAt(one, 'name')));
  return callable.length > 0 && callable.every(fails);
}
