import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { childPointer } from '../../../core/manifest/child-pointer.ts';
import type { Round } from '../../../core/status/rounds.ts';
import {
  isService,
  isServiceState,
  SERVICE_STATES,
  SERVICES,
  type Service,
  type ServiceState,
} from '../../../core/status/service.ts';
import { problem } from '../../http/problem.ts';
import type { ProblemError } from '../../http/problem-options.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';

/** Rounds of one request. */
export const MAX_ROUNDS = 120;
/** Size of one request, bytes. */
const MAX_BYTES = 65_536;
/** Checks that are told of one service. */
export const MAX_CHECKS = 8;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const CODE = /^[a-z0-9-]{1,64}$/;

/** Milliseconds since the epoch; undefined: no such time. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined;
  const ms = Date.parse(value);
  // The parser turns 02-30 into a day of March.
  return Number.isNaN(ms) || new Date(ms).toISOString() !== value ? undefined : ms;
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const MEMBERS: readonly Member[] = [
  {
    name: 'prober',
    accepts: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 253,
    expected: 'a name of at most 253 characters',
  },
  {
    name: 'rounds',
    accepts: (value) => isList(value) && value.length <= MAX_ROUNDS,
    expected: `a list of at most ${MAX_ROUNDS} rounds`,
  },
];

const isCode = (value: JsonValue | undefined): boolean => typeof value === 'string' && CODE.test(value);

/** Collects faults with their pointers. */
class RoundReader {
  readonly errors: ProblemError[] = [];

  #fail(pointer: string, detail: string): void {
    this.errors.push({ pointer, code: 'member-malformed', detail: `Expected: ${detail}.` });
  }

  #object(value: JsonValue | undefined, pointer: string, names: readonly string[]): JsonObject {
    const isClosed = isJsonObject(value) && Object.keys(value).every((name) => names.includes(name));
    if (isClosed) return value;
    this.#fail(pointer, `an object with ${names.join(', ')}`);
    return {};
  }

  #time(value: JsonValue | undefined, pointer: string): number {
    const at = timeOf(value);
    if (at === undefined) this.#fail(pointer, 'a UTC time with milliseconds');
    return at ?? 0;
  }

  #check(value: JsonValue, pointer: string): void {
    const { id, ok, ms, code } = this.#object(value, pointer, ['id', 'ok', 'ms', 'code']);
    const isGood = isCode(id) && typeof ok === 'boolean' && typeof ms === 'number' && ms >= 0;
    if (!isGood || !(code === null || isCode(code)))
      this.#fail(pointer, 'id and code in lower case with hyphens (code may be null), ok as boolean, ms from 0');
  }

  #state(value: JsonValue | undefined, pointer: string): ServiceState {
    const { state, checks = [] } = this.#object(value, pointer, ['state', 'checks']);
    if (!isList(checks) || checks.length > MAX_CHECKS) this.#fail(`${pointer}/checks`, `at most ${MAX_CHECKS} checks`);
    else checks.forEach((check, index) => this.#check(check, `${pointer}/checks/${index}`));
    if (typeof state === 'string' && isServiceState(state)) return state;
    this.#fail(`${pointer}/state`, SERVICE_STATES.join(', '));
    return 'unknown';
  }

  #states(value: JsonValue | undefined, pointer: string): Round['states'] {
    const given = this.#object(value, pointer, SERVICES);
    const names = Object.keys(given).filter(isService);
    if (names.length === 0) this.#fail(pointer, `at least one of ${SERVICES.join(', ')}`);
    const entries = names.map((name): readonly [Service, ServiceState] => [
      name,
      this.#state(given[name], childPointer(pointer, name)),
    ]);
    return Object.fromEntries(entries);
  }

  round(value: JsonValue, pointer: string): Round {
    const { at, until, services } = this.#object(value, pointer, ['at', 'until', 'services']);
    return {
      at: this.#time(at, `${pointer}/at`),
      until: this.#time(until, `${pointer}/until`),
      states: this.#states(services, `${pointer}/services`),
    };
  }
}

const SHOWN_ERRORS = 20;

/** The rounds of a body of `POST /status/rounds`. */
export function roundsIn(request: RouteRequest): Step<readonly Round[]> {
  if (request.body.length > MAX_BYTES)
    return refuse(problem(request, 'body-too-large', { detail: `The limit is ${MAX_BYTES} bytes.` }));
  const body = readMembers(request, MEMBERS);
  if (!body.ok) return body;
  const { rounds } = body.value;
  const reader = new RoundReader();
  const read = isList(rounds) ? rounds.map((round, index) => reader.round(round, `/rounds/${index}`)) : [];
  return reader.errors.length === 0
    ? { ok: true, value: read }
    : refuse(problem(request, 'invalid-parameter', { errors: reader.errors.slice(0, SHOWN_ERRORS) }));
}
