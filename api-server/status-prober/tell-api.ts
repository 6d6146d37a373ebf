import type { PlatformClient } from '../../adapters/platform-api/client.ts';
import type { CheckResult } from '../../core/status/service-state.ts';
import { SERVICES } from '../../core/status/service.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { membersOf } from '../status/probes/probe.ts';
import type { Told, WaitingRound } from '../status/round-teller.ts';

const TELL_MS = 10_000;
const MS_DIGITS = 10;

const time = (at: number): string => new Date(at).toISOString();

function checkJson(result: CheckResult): readonly JsonObject[] {
  if (result.kind === 'left-out') return [];
  const { id, kind, ms, code } = result;
  return [{ id, ok: kind === 'good', ms: Math.round(ms * MS_DIGITS) / MS_DIGITS, code }];
}

const roundJson = ({ at, until, states, found }: WaitingRound): JsonObject => ({
  at: time(at),
  until: time(until),
  services: Object.fromEntries(
    SERVICES.flatMap((service): readonly (readonly [string, JsonValue])[] => {
      const state = states[service];
      const checks = found?.[service].checks.flatMap(checkJson);
      return state === undefined ? [] : [[service, { state, ...(checks === undefined ? {} : { checks }) }]];
    }),
  ),
});

/** Tells the API rounds, as `POST /status/rounds` takes them. @param signal ends what is under way */
export function createTeller(
  api: PlatformClient,
  prober: string,
  signal: AbortSignal,
): (rounds: readonly WaitingRound[]) => Promise<Told> {
  const post = (rounds: readonly WaitingRound[]) => {
    const body = JSON.stringify({ prober, rounds: rounds.map(roundJson) });
    return api.call(
      { method: 'POST', path: '/status/rounds', body },
      AbortSignal.any([signal, AbortSignal.timeout(TELL_MS)]),
    );
  };
  return async (rounds) => {
    const answer = await post(rounds);
    if (answer.kind === 'failed') return { kind: 'away', why: answer.code };
    if (answer.status === 200) return { kind: 'taken' };
    const { code } = membersOf(answer);
    const why = typeof code === 'string' ? code : `status ${answer.status}`;
    if (code !== 'round-invalid') return { kind: 'away', why };
    const kept = await post([]);
    if (kept.kind === 'failed' || kept.status !== 200) return { kind: 'away', why };
    const { last } = membersOf(kept);
    return { kind: 'refused', why, last: typeof last === 'string' ? Date.parse(last) : null };
  };
}
