import { milliseconds } from '../../../core/time/duration.ts';
import { MAX_PIN_HOURS } from '../../../core/failover/pin-end.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import { nearestName } from '../../../core/manifest/nearest.ts';
import type { ProblemError } from '../../http/problem-options.ts';
import { problem } from '../../http/problem.ts';
import { wrongMembers } from '../../http/read-members.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';

export type PinMode = 'soft' | 'hard' | 'once';

/** Body of `POST /providers/{orb_id}/swap` (failover.md §9.1); undefined: the member is absent. */
export interface SwapBody {
  readonly provider: string;
  readonly reason: string | undefined;
  readonly expiresInMs: number | undefined;
  readonly mode: PinMode | undefined;
  readonly expectedActive: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly waitMs: number;
}

type ParsedBody = { readonly ok: true; readonly value: SwapBody } | { readonly ok: false; readonly reply: Reply };

const MAX_PIN_MS = MAX_PIN_HOURS * 3_600_000;
const DURATION = /^[1-9][0-9]{0,5}(?:ms|s|m|h)$/;
const MAX_REASON = 256;
const MAX_WAIT_MS = 10_000;
const DEFAULT_WAIT_MS = 2000;
const MODES: readonly string[] = ['soft', 'hard', 'once'];
const MEMBERS = ['provider', 'reason', 'expires_in', 'mode', 'expected_active', 'force', 'dry_run', 'wait_ms'];

const isText = (value: JsonValue): value is string => typeof value === 'string' && value.length > 0;
const isFlag = (value: JsonValue): value is boolean => typeof value === 'boolean';
const isMode = (value: JsonValue): value is PinMode => isText(value) && MODES.includes(value);
const isReason = (value: JsonValue): value is string => isText(value) && value.length <= MAX_REASON;
const isWait = (value: JsonValue): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_WAIT_MS;
const isDuration = (value: JsonValue): value is string =>
  isText(value) && DURATION.test(value) && milliseconds(value) <= MAX_PIN_MS;

/** Reads the members of one body and collects all faults. */
class MemberReader {
  readonly errors: ProblemError[] = [];
  readonly #body: JsonObject;

  constructor(body: JsonObject) {
    this.#body = body;
    for (const name of Object.keys(body).slice(0, 20)) if (!MEMBERS.includes(name)) this.#unknown(name);
  }

  #unknown(name: string): void {
    const suggestion = nearestName(name, MEMBERS);
    this.errors.push({
      pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'unknown-member',
      detail: `Members here: ${MEMBERS.join(', ')}.`,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  read<T extends JsonValue>(name: string, accepts: (value: JsonValue) => value is T, expected: string): T | undefined {
    const value = this.#body[name];
    if (value === undefined || accepts(value)) return value;
    this.errors.push({ pointer: `/${name}`, code: 'member-malformed', detail: `Expected: ${expected}.` });
    return undefined;
  }

  check(ok: boolean, error: ProblemError): void {
    if (!ok) this.errors.push(error);
  }
}

function bodyOf(reader: MemberReader): SwapBody {
  const expiresIn = reader.read('expires_in', isDuration, `a duration such as 2h or 30m, at most ${MAX_PIN_HOURS}h`);
  return {
    provider: reader.read('provider', isText, 'the name of a provider') ?? '',
    reason: reader.read('reason', isReason, `a text of 1 to ${MAX_REASON} characters`),
    expiresInMs: expiresIn === undefined ? undefined : milliseconds(expiresIn),
    mode: reader.read('mode', isMode, 'soft, hard or once'),
    expectedActive: reader.read('expected_active', isText, 'the name of a provider'),
    force: reader.read('force', isFlag, 'true or false') ?? false,
    dryRun: reader.read('dry_run', isFlag, 'true or false') ?? false,
    waitMs: reader.read('wait_ms', isWait, `an integer from 0 to ${MAX_WAIT_MS}`) ?? DEFAULT_WAIT_MS,
  };
}

const refused = (request: RouteRequest, errors: readonly ProblemError[]): ParsedBody => ({
  ok: false,
  reply: wrongMembers(request, errors),
});

/** A `once` swap is not a pin, so a caller can't choose its end. */
export const EXPIRY_WITH_ONCE: ProblemError = {
  pointer: '/expires_in',
  code: 'expires-in-with-once',
  detail: 'A swap with mode once is no pin: leave expires_in out, or write mode soft or hard.',
};

/** Parses the body strictly. Every fault is reported with its pointer. */
export function parseSwap(request: RouteRequest): ParsedBody {
  const json = readJson(request.body);
  if (!json.ok) {
    const errors = json.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    return { ok: false, reply: problem(request, 'invalid-json', { errors }) };
  }
  if (!isJsonObject(json.value)) {
    return refused(request, [
      { pointer: '', code: 'not-an-object', detail: 'The body is a JSON object with provider.' },
    ]);
  }
  const reader = new MemberReader(json.value);
  const value = bodyOf(reader);
  reader.check(json.value['provider'] !== undefined, {
    pointer: '/provider',
    code: 'missing-member',
    detail: 'Say which provider to use: "provider": "NAME".',
  });
  reader.check(value.mode !== 'once' || json.value['expires_in'] === undefined, EXPIRY_WITH_ONCE);
  return reader.errors.length > 0 ? refused(request, reader.errors) : { ok: true, value };
}
