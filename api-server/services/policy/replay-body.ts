import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../../core/json/members.ts';
import { BASELINES, STATEFUL, type Baseline, type Stateful } from '../../../core/policy/simulation/replay-walk.ts';
import type { Member } from '../../http/read-members.ts';
import { problem } from '../../http/problem.ts';
import type { ProblemError } from '../../http/problem-options.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';
import { readBody } from './policy-body.ts';

/** A replay as `POST /policies/replay` asks for it. */
export interface AskedReplay {
  /** A draft, or a stored version. */
  readonly policy:
    | { readonly kind: 'draft'; readonly value: JsonValue }
    | { readonly kind: 'stored'; readonly namespace: string; readonly name: string; readonly digest: string };
  readonly baseline: Baseline;
  readonly stateful: Stateful;
  /** ms since epoch */
  readonly from: number;
  readonly until: number;
  readonly filter: { readonly orbIds: readonly string[]; readonly orbisets: readonly string[] };
  readonly sample: { readonly percent: number; readonly seed: number };
}

const MOST_NAMES = 64;
const LONGEST_NAME = 253;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const REF = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9-]{0,62})$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const isOneOf = <T extends string>(all: readonly T[], value: JsonValue | undefined): value is T =>
  all.some((one) => one === value);
const timeOf = (value: JsonValue | undefined): number =>
  typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
const isClosed = (value: JsonValue, names: readonly string[]): value is JsonObject =>
  isJsonObject(value) && Object.keys(value).every((name) => names.includes(name));
const isNames = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.length <= MOST_NAMES &&
    value.every((name) => typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME));
const isPercent = (value: JsonValue | undefined): boolean =>
  value === undefined || (typeof value === 'number' && value > 0 && value <= 100);
const isSeed = (value: JsonValue | undefined): boolean =>
  value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);

const matches = (pattern: RegExp) => (value: JsonValue) => typeof value === 'string' && pattern.test(value);

const MEMBERS: readonly Member[] = [
  { name: 'policy', accepts: isJsonObject, expected: 'an OrbPolicy: the draft to replay', optional: true },
  { name: 'ref', accepts: matches(REF), expected: 'namespace/name of a stored policy', optional: true },
  { name: 'digest', accepts: matches(DIGEST), expected: 'the digest of a version of ref', optional: true },
  { name: 'baseline', accepts: (value) => isOneOf(BASELINES, value), expected: BASELINES.join(' or '), optional: true },
  { name: 'stateful', accepts: (value) => isOneOf(STATEFUL, value), expected: STATEFUL.join(', '), optional: true },
  {
    name: 'window',
    accepts: (value) => isClosed(value, ['from', 'to']) && timeOf(value['from']) < timeOf(value['to']),
    expected: 'from and to, UTC times like 2026-11-20T00:00:00Z; from is earlier',
  },
  {
    name: 'filter',
    accepts: (value) =>
      isClosed(value, ['orb_ids', 'orbisets']) && isNames(value['orb_ids']) && isNames(value['orbisets']),
    expected: `orb_ids with * for any text, and orbisets as namespace.name; each at most ${MOST_NAMES}`,
    optional: true,
  },
  {
    name: 'sample',
    accepts: (value) => isClosed(value, ['percent', 'seed']) && isPercent(value['percent']) && isSeed(value['seed']),
    expected: 'percent, above 0 and up to 100, and seed, a whole number from 0 on',
    optional: true,
  },
];

const CHOICE: ProblemError = {
  pointer: '',
  code: 'member-malformed',
  detail: 'Give either policy, a draft, or ref and digest, a stored version.',
};

function policyIn(body: JsonObject): AskedReplay['policy'] | undefined {
  const { policy, ref, digest } = body;
  if (policy !== undefined)
    return ref === undefined && digest === undefined ? { kind: 'draft', value: policy } : undefined;
  if (typeof ref !== 'string' || typeof digest !== 'string') return undefined;
  const [, namespace = '', name = ''] = REF.exec(ref) ?? [];
  return { kind: 'stored', namespace, name, digest };
}

const texts = (values: readonly JsonValue[]): readonly string[] =>
  values.flatMap((value) => (typeof value === 'string' ? [value] : []));
const numberAt = (body: JsonObject, name: string, otherwise: number): number => {
  const value = member(body, name);
  return typeof value === 'number' ? value : otherwise;
};

/** Reads the body of `POST /policies/replay`. @param now ms since epoch: no receipt is later */
export function readReplay(request: RouteRequest, now: number): Step<AskedReplay> {
  const read = readBody(request, MEMBERS);
  if (!read.ok) return read;
  const body = read.value;
  const policy = policyIn(body);
  if (policy === undefined) return refuse(problem(request, 'invalid-parameter', { errors: [CHOICE] }));
  const { baseline, stateful } = body;
  const [window, filter, sample] = [objectAt(body, 'window'), objectAt(body, 'filter'), objectAt(body, 'sample')];
  const from = timeOf(window['from']);
  return {
    ok: true,
    value: {
      policy,
      baseline: isOneOf(BASELINES, baseline) ? baseline : 'recorded',
      stateful: isOneOf(STATEFUL, stateful) ? stateful : 'both',
      from,
      until: Math.max(from, Math.min(timeOf(window['to']), now)),
      filter: { orbIds: texts(listAt(filter, 'orb_ids')), orbisets: texts(listAt(filter, 'orbisets')) },
      sample: { percent: numberAt(sample, 'percent', 100), seed: numberAt(sample, 'seed', 0) },
    },
  };
}
