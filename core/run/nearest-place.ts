import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { nearestName } from '../manifest/nearest.ts';
import { isOfType } from '../manifest/value-type.ts';
import type { ValueType } from '../orb/compiled-orb.ts';
import { atPointer } from './outputs.ts';
import type { ProviderAnswer } from './response-body.ts';

type Place = readonly string[];

/** Pointers of real manifests have few tokens, and the places to try double with each. */
const MAX_TOKENS = 6;
/** Members of one object that are looked at. */
const MAX_MEMBERS = 64;
// Names that documentation has: a name of another form may be data, such as an address as a key.
const FIELD_NAME = /^[A-Za-z_][A-Za-z_-]{0,31}$/;

const namesIn = (value: JsonValue | undefined): readonly string[] =>
  isJsonObject(value)
    ? Object.keys(value)
        .slice(0, MAX_MEMBERS)
        .filter((name) => FIELD_NAME.test(name))
    : [];

/** The pointer without some of the tokens between the first and the last one, with the fewest left out first. */
function shorter([first = '', ...rest]: Place): readonly Place[] {
  const [last = '', ...between] = rest.toReversed();
  const subsets = between
    .toReversed()
    .reduce<readonly Place[]>((known, token) => known.flatMap((place) => [[...place, token], place]), [[]]);
  return subsets.map((place) => [first, ...place, last]).toSorted((one, other) => other.length - one.length);
}

/** The pointer with the first item of each list that it walks over. */
function withIndexes(tokens: Place, answer: ProviderAnswer): Place {
  let place: Place = tokens.slice(0, 1);
  for (const token of tokens.slice(1)) {
    const isIndex = /^[0-9]+$/.test(token);
    place = Array.isArray(atPointer(place, answer)) && !isIndex ? [...place, '0', token] : [...place, token];
  }
  return place;
}

/** The deepest place above the pointer where something is. */
export function deepestPlace(tokens: Place, answer: ProviderAnswer): Place | undefined {
  for (let depth = tokens.length - 1; depth > 0; depth -= 1)
    if (atPointer(tokens.slice(0, depth), answer) !== undefined) return tokens.slice(0, depth);
  return undefined;
}

/** Places in the object that the pointer reaches: a member with a near name, or the same name one level below. */
function around(tokens: Place, answer: ProviderAnswer): readonly Place[] {
  const reached = deepestPlace(tokens, answer);
  if (reached === undefined) return [];
  const names = namesIn(atPointer(reached, answer));
  const rest = tokens.slice(reached.length);
  const [missing = '', ...behind] = rest;
  const near = nearestName(missing, names);
  return [
    ...(near === undefined ? [] : [[...reached, near, ...behind]]),
    ...names.map((name) => [...reached, name, ...rest]),
  ];
}

/**
 * A place of the answer to write instead of a pointer under which nothing is: with the same names, or with one name that
 * is near or between them. Only names that documentation may have are repeated, never values.
 * @returns undefined when no such place has a value of the type
 */
export function nearestPlace(tokens: Place, type: ValueType, answer: ProviderAnswer): Place | undefined {
  if (tokens.length < 2 || tokens.length > MAX_TOKENS || tokens[0] !== 'body') return undefined;
  const places = [withIndexes(tokens, answer), ...shorter(tokens), ...around(tokens, answer)];
  return places.find((place) => isOfType(atPointer(place, answer), type));
}
