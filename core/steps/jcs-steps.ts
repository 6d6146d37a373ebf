import type { Steps } from './steps.ts';
import { inOrder, jcs, textOf } from '../json/jcs.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/** Characters of a piece: some milliseconds on a slow core. */
const PIECE = 65_536;
/** What a value or a name costs, whatever its length. */
const OF_VALUE = 16;
/** Levels that are written member by member. What is below is written at once. */
const LEVELS = 8;

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** Counts what was written; a piece ends when there is enough of it. */
function* counted(text: string, piece: { characters: number }): Steps<string> {
  piece.characters += text.length + OF_VALUE;
  if (piece.characters < PIECE) return text;
  piece.characters = 0;
  yield;
  return text;
}

function* written(value: JsonValue | undefined, levels: number, piece: { characters: number }): Steps<string> {
  if (value !== undefined && levels > 0 && isList(value)) {
    const items: string[] = [];
    for (const item of value) items.push(yield* written(item, levels - 1, piece));
    piece.characters += OF_VALUE;
    return `[${items.join(',')}]`;
  }
  if (levels > 0 && isJsonObject(value)) {
    const members: string[] = [];
    for (const name of inOrder(Object.keys(value)))
      members.push(`${yield* counted(textOf(name), piece)}:${yield* written(value[name], levels - 1, piece)}`);
    piece.characters += OF_VALUE;
    return `{${members.join(',')}}`;
  }
  return yield* counted(jcs(value), piece);
}

/**
 * Canonical JSON text like `jcs`, in pieces: a document of 1 MiB takes up to 100 ms on a slow core.
 * @throws TypeError as `jcs`
 */
export const jcsSteps = (value: JsonValue): Steps<string> => written(value, LEVELS, { characters: 0 });
