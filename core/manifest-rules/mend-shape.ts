import type { Manifest } from '../../crds/manifest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { parsePointer } from '../json/pointer.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import type { Finding } from '../manifest/finding.ts';

/** A mended member may lack another: `{}` in place of a wrong execution lacks its URL. */
const MAX_ROUNDS = 4;

/** Members that a manifest can't do without, as they are while the rest is checked. No rule has anything against them. */
const STAND_INS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['/orb_id', 'orbs.stand-in@1.0.0'],
  ['/provider', 'stand-in'],
  ['/inputs', {}],
  ['/outputs', {}],
  ['/execution', {}],
  ['/execution/url', 'https://orbs.example/'],
]);
const EXECUTION_OF_PROVIDER = /^\/providers\/[^/]+(?<member>\/execution(?:\/url)?)$/;
/** Definitions: an input with a wrong definition is still an input. */
const DEFINITION = /^\/(?:inputs|outputs)\/[^/]+$/;

const standIn = (pointer: string): JsonValue | undefined =>
  STAND_INS.get(EXECUTION_OF_PROVIDER.exec(pointer)?.groups?.['member'] ?? pointer);

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** A change of the members around the last token of a pointer. */
type Change = (members: Map<string, JsonValue>, name: string) => void;

/** A change, and the member or item that it is for. */
type Named = readonly [name: string, change: Change];

/** The value of a place with changes of its members; items of a list are left out. */
function withMembers(value: JsonValue, changes: readonly Named[]): JsonValue {
  if (isList(value)) {
    const wrong = new Set(changes.map(([name]) => name));
    return value.filter((_, index) => !wrong.has(String(index)));
  }
  if (!isJsonObject(value)) return value;
  const members = new Map(Object.entries(value));
  for (const [name, change] of changes) change(members, name);
  return Object.fromEntries(members);
}

/** The value with another one at a place; the same value when there is no such place. */
function changed(
  value: JsonValue,
  [token, ...rest]: readonly string[],
  change: (found: JsonValue) => JsonValue,
): JsonValue {
  if (token === undefined) return change(value);
  if (isList(value)) return value.map((item, index) => (String(index) === token ? changed(item, rest, change) : item));
  if (!isJsonObject(value) || !Object.hasOwn(value, token)) return value;
  const found = value[token] ?? null;
  return Object.fromEntries([...Object.entries(value), [token, changed(found, rest, change)]]);
}

/** A member that is not known becomes the member that was probably meant; without a near name it is left out. */
const rename =
  (meant: string | undefined): Change =>
  (members, name) => {
    const value = members.get(name);
    members.delete(name);
    if (meant !== undefined && value !== undefined && !members.has(meant)) members.set(meant, value);
  };

const replace =
  (value: JsonValue | undefined): Change =>
  (members, name) => {
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  };

const add =
  (value: JsonValue | undefined): Change =>
  (members, name) => {
    if (value !== undefined && !members.has(name)) members.set(name, value);
  };

const UNKNOWN = 'schema-additionalProperties';
const isUnknown = ({ code }: Finding): boolean => code === UNKNOWN;

function changeFor({ code, pointer, suggestion }: Finding): Change {
  if (code === UNKNOWN) return rename(suggestion);
  if (code === 'schema-required') return add(standIn(pointer));
  return replace(code !== 'schema-propertyNames' && DEFINITION.test(pointer) ? {} : standIn(pointer));
}

/** All changes of one object at once: it may have many members, and many of them may be wrong. */
const mendPlace = (value: JsonObject, [place, findings]: readonly [string, readonly Finding[]]): JsonObject => {
  const changes = findings.map((finding): Named => [parsePointer(finding.pointer)?.at(-1) ?? '', changeFor(finding)]);
  const mended = changed(value, parsePointer(place) ?? [], (found) => withMembers(found, changes));
  return isJsonObject(mended) ? mended : value;
};

const placeOf = ({ pointer }: Finding): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));

/**
 * A manifest of a wrong shape with its wrong members renamed, left out or replaced, so that everything else in it can be
 * checked in the same pass. It never runs. Errors that the rules find in it stand in the manifest as it was written;
 * warnings may come from what was left out.
 * @param findings of its schema
 * @returns undefined when it stays of a wrong shape
 */
export function mendShape(value: JsonValue, findings: readonly Finding[]): Manifest | undefined {
  if (!isJsonObject(value)) return undefined;
  let mended: JsonObject = value;
  let wrong = findings;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // A member that seems to be missing may stand there under a misspelled name.
    const ordered = [...wrong.filter(isUnknown), ...wrong.filter((finding) => !isUnknown(finding))];
    mended = [...Map.groupBy(ordered, placeOf)].reduce(mendPlace, mended);
    const checked = checkSchema('manifest', mended);
    if (checked.ok) return checked.value;
    wrong = checked.findings;
  }
  return undefined;
}
