import { childPointer } from '../../core/manifest/child-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { nearestName } from '../../core/manifest/nearest.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { problem } from './problem.ts';
import type { ProblemError } from './problem-options.ts';
import { refuse, type Reply, type RouteRequest, type Step } from './route.ts';

/** A member of a body: what it holds, in words for the caller. */
export interface Member {
  readonly name: string;
  readonly accepts: (value: JsonValue) => boolean;
  readonly expected: string;
  readonly optional?: true;
}

function faultsOf(body: JsonObject, members: readonly Member[]): readonly ProblemError[] {
  const names = members.map(({ name }) => name);
  const unknown = Object.keys(body)
    .filter((name) => !names.includes(name))
    .slice(0, 20)
    .map((name) => {
      const suggestion = nearestName(name, names);
      const detail = `Members here: ${names.join(', ')}.`;
      const error = { pointer: childPointer('', name), code: 'unknown-member', detail };
      return suggestion === undefined ? error : { ...error, suggestion };
    });
  const wrong = members.flatMap(({ name, accepts, expected, optional }): readonly ProblemError[] => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === undefined && optional === true) return [];
    if (value === undefined) return [{ pointer: `/${name}`, code: 'missing-member', detail: `Add it: ${expected}.` }];
    return accepts(value) ? [] : [{ pointer: `/${name}`, code: 'member-malformed', detail: `Expected: ${expected}.` }];
  });
  return [...unknown, ...wrong];
}

const UNKNOWN = 'unknown-member';

/** The answer to a body whose members are wrong: an unknown one has the same status in every route (design.md §3). */
export const wrongMembers = (request: Pick<RouteRequest, 'requestId'>, errors: readonly ProblemError[]): Reply =>
  problem(request, errors.some(({ code }) => code === UNKNOWN) ? UNKNOWN : 'invalid-parameter', { errors });

/** Reads a body of a closed object strictly: every fault is reported with its pointer. */
export function readMembers(request: RouteRequest, members: readonly Member[]): Step<JsonObject> {
  const parsed = readJson(request.body);
  if (!parsed.ok) {
    const errors = parsed.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    return refuse(problem(request, 'invalid-json', { errors }));
  }
  const { value } = parsed;
  if (!isJsonObject(value)) {
    const detail = `The body is a JSON object with ${members.map(({ name }) => name).join(', ')}.`;
    return refuse(problem(request, 'invalid-parameter', { errors: [{ pointer: '', code: 'not-an-object', detail }] }));
  }
  const errors = faultsOf(value, members);
  return errors.length > 0 ? refuse(wrongMembers(request, errors)) : { ok: true, value };
}
