import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { objectAt, listAt, member } from '../../../core/json/members.ts';
import { parseOrbId, type OrbId } from '../../../core/manifest/orb-id.ts';
import { PHASES, type Phase } from '../../../core/policy/facts/fact-schema.ts';
import type { Member } from '../../http/read-members.ts';
import type { RouteRequest, Step } from '../../http/route.ts';
import { INCLUDES, type Include } from './draft-set.ts';
import { readBody } from './policy-body.ts';

/** A request to try, as `POST /policies/evaluate` names it. */
export interface Evaluation {
  /** A name, or `{namespace}.{name}`. */
  readonly orbiset: string;
  readonly orbId: OrbId;
  readonly inputs: JsonObject;
  /** Facts by root and name; the others are live or have defaults. */
  readonly facts: JsonObject;
  readonly phase: Phase;
  readonly policies: readonly JsonValue[];
  readonly include: Include;
  readonly isTraced: boolean;
}

const MAX_DRAFTS = 20;

const isOneOf = <T extends string>(all: readonly T[], value: JsonValue | undefined): value is T =>
  all.some((one) => one === value);
const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';

const MEMBERS: readonly Member[] = [
  { name: 'orbiset', accepts: isText, expected: 'the name of an Orbiset, or {namespace}.{name}' },
  {
    name: 'orb_id',
    accepts: (value) => isText(value) && parseOrbId(value).ok,
    expected: 'an Orb id of the form {org}.{name}@{semver}',
  },
  { name: 'inputs', accepts: isJsonObject, expected: 'the inputs of the run, an object', optional: true },
  { name: 'facts', accepts: isJsonObject, expected: 'facts by root and name, an object of objects', optional: true },
  { name: 'phase', accepts: (value) => isOneOf(PHASES, value), expected: PHASES.join(', '), optional: true },
  {
    name: 'policies',
    accepts: (value) => Array.isArray(value) && value.length <= MAX_DRAFTS,
    expected: `a list of at most ${MAX_DRAFTS} policies`,
    optional: true,
  },
  { name: 'include', accepts: (value) => isOneOf(INCLUDES, value), expected: INCLUDES.join(', '), optional: true },
  { name: 'trace', accepts: (value) => typeof value === 'boolean', expected: 'true or false', optional: true },
];

/** Reads the body of `POST /policies/evaluate`. */
export function readEvaluation(request: RouteRequest): Step<Evaluation> {
  const body = readBody(request, MEMBERS);
  if (!body.ok) return body;
  const { orbiset, orb_id: id, phase, include, trace } = body.value;
  const orbId = parseOrbId(isText(id) ? id : '');
  if (!orbId.ok || !isText(orbiset)) throw new TypeError('the members were checked');
  return {
    ok: true,
    value: {
      orbiset,
      orbId: orbId.value,
      inputs: objectAt(body.value, 'inputs'),
      facts: objectAt(body.value, 'facts'),
      phase: isOneOf(PHASES, phase) ? phase : 'PreFlight',
      policies: listAt(body.value, 'policies'),
      include: isOneOf(INCLUDES, include) ? include : 'current+draft',
      isTraced: trace === true,
    },
  };
}

/** Roots of facts that are no objects: they hold no fact. */
export const rootFaults = (facts: JsonObject): readonly string[] =>
  Object.keys(facts).filter((root) => !isJsonObject(member(facts, root)));
