import {
  Composer,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type ParsedNode,
  type Scalar,
} from 'yaml';
import { isJsonObject, type JsonValue } from '../../json/json-value.ts';
import { childPointer } from '../child-pointer.ts';
import { MAX_DEPTH } from '../../json/too-deep.ts';
import { openReading, report, type Reading } from './reading.ts';
import { explainYaml, isBarePlaceholder, QUOTE_PLACEHOLDER } from './yaml-fault.ts';
import { plainScalar } from './yaml-scalar.ts';
import { streamFaults, type StreamFault } from './yaml-stream.ts';

export interface YamlDocument {
  readonly reading: Reading;
  /** Undefined when the document could not be read. With findings it only serves to find what else is wrong. */
  readonly value: JsonValue | undefined;
}

type Node = ParsedNode | null;

/** State of reading one document. */
interface Walk extends Reading {
  readonly anchors: Map<string, ParsedNode>;
  /** Nodes whose members are being read: an alias to one of them would never end. */
  readonly open: Set<ParsedNode>;
  /** Values of the file so far: those of the documents before it, too. */
  readonly read: { values: number };
  /** Whether values were left out, because they are too many or too deep. */
  isCut: boolean;
}

interface Spot {
  readonly pointer: string;
  readonly depth: number;
  /** Place of the value, also for a value that is not written at all. */
  readonly offset: number;
}

// Aliases multiply: nine lines can expand to a billion values. A request may have as many (read-json.ts).
const MAX_VALUES = 50_000;

// JSON escapes that kubectl does not know: \/ and a surrogate pair in two escapes.
const JSON_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\(?:\/|u[dD][89abAB][0-9a-fA-F]{2}\\u)/;

function refuse(walk: Reading, spot: Spot, code: string, detail: string): undefined {
  return report(walk, spot.offset, { code, pointer: spot.pointer, detail });
}

/** @returns a refused value as text, so that what depends on it can be checked, too */
function readPlain(walk: Walk, text: string, spot: Spot): string | number | boolean | null {
  const scalar = plainScalar(text);
  if (scalar.kind === 'value') return scalar.value;
  refuse(walk, spot, scalar.code, scalar.detail);
  return text;
}

/** Refuses an escape of JSON in double quotes that kubectl does not know. */
function checkEscapes(walk: Walk, { type, range }: Scalar.Parsed, spot: Spot): void {
  if (type !== 'QUOTE_DOUBLE' || !JSON_ESCAPE.test(walk.text.slice(range[0], range[1]))) return;
  refuse(walk, spot, 'yaml-escape', 'kubectl does not know this escape of JSON; write the character itself.');
}

function refuseKey(walk: Walk, key: Node, spot: Spot): undefined {
  if (isMap(key) && isBarePlaceholder(walk.text, spot.offset))
    return refuse(walk, { ...spot, offset: spot.offset - 1 }, 'yaml-key', QUOTE_PLACEHOLDER);
  return refuse(walk, spot, 'yaml-key', 'A key is a name; write it as a string, without tag or alias.');
}

/** @returns the written name, also of a key that is refused; undefined when it is no text */
function readKey(walk: Walk, key: Node, spot: Spot): string | undefined {
  if (!isScalar(key) || typeof key.value !== 'string') return refuseKey(walk, key, spot);
  if (key.tag !== undefined) refuseKey(walk, key, spot);
  checkEscapes(walk, key, spot);
  const value = key.type === 'PLAIN' ? readPlain(walk, key.value, spot) : key.value;
  if (typeof value !== 'string') refuse(walk, spot, 'yaml-key', 'This key is not a string; write it with quotes.');
  return key.value;
}

const isMergeKey = (key: Node): boolean => isScalar(key) && key.type === 'PLAIN' && key.value === '<<';

/** Members under `<<`, of one map or of several: they are refused, but not missing. */
const mergedMembers = (value: JsonValue): readonly (readonly [string, JsonValue])[] =>
  [value].flat().flatMap((map) => (isJsonObject(map) ? Object.entries(map) : []));

function readMap(walk: Walk, items: readonly unknown[], spot: Spot): JsonValue {
  const members = new Map<string, JsonValue>();
  const merged: (readonly [string, JsonValue])[] = [];
  for (const item of items) {
    if (!isPair<ParsedNode, Node>(item)) continue;
    const start = item.key.range[0];
    const key = readKey(walk, item.key, { ...spot, offset: start });
    if (key === undefined) continue;
    const pointer = childPointer(spot.pointer, key);
    const inner = { pointer, depth: spot.depth + 1, offset: start };
    if (members.has(key)) refuse(walk, inner, 'duplicate-key', 'The member is given twice; remove one.');
    const value = readNode(walk, item.value, inner) ?? null;
    if (isMergeKey(item.key)) merged.push(...mergedMembers(value));
    else members.set(key, value);
  }
  // Own members only, `__proto__` too: fromEntries defines, it does not assign.
  return Object.fromEntries([...merged, ...members]);
}

function readAlias(walk: Walk, source: string, spot: Spot): JsonValue | undefined {
  const target = walk.anchors.get(source);
  if (target === undefined || walk.open.has(target))
    return refuse(walk, spot, 'yaml-alias', 'The alias names no anchor before it, or one around it.');
  return readContent(walk, target, spot);
}

function readScalar(walk: Walk, node: Scalar.Parsed, spot: Spot): JsonValue | undefined {
  const text = typeof node.value === 'string' ? node.value : '';
  if (node.type === 'PLAIN' || node.type === undefined) return readPlain(walk, text, spot);
  checkEscapes(walk, node, spot);
  const isOpenEnded = text.endsWith('\n') && !walk.text.endsWith('\n') && node.range[1] >= walk.text.length;
  if (isOpenEnded && node.type !== 'QUOTE_DOUBLE' && node.type !== 'QUOTE_SINGLE') {
    const detail = 'Parsers disagree about the end of this text; end the file with a newline.';
    refuse(walk, spot, 'yaml-final-newline', detail);
  }
  return text;
}

function readContent(walk: Walk, node: ParsedNode, spot: Spot): JsonValue | undefined {
  if (isAlias(node)) return readAlias(walk, node.source, spot);
  if (isScalar(node)) return readScalar(walk, node, spot);
  walk.open.add(node);
  const value = isSeq(node)
    ? node.items.map(
        (item, index) =>
          readNode(walk, item, {
            pointer: childPointer(spot.pointer, index),
            depth: spot.depth + 1,
            offset: spot.offset,
          }) ?? null,
      )
    : readMap(walk, isMap(node) ? node.items : [], spot);
  walk.open.delete(node);
  return value;
}

function readNode(walk: Walk, node: Node, outer: Spot): JsonValue | undefined {
  const spot = node === null ? outer : { ...outer, offset: node.range[0] };
  walk.read.values += 1;
  if (walk.read.values > MAX_VALUES) {
    const isTold = walk.isCut;
    walk.isCut = true;
    return !isTold ? refuse(walk, spot, 'too-many-values', `A file holds at most ${MAX_VALUES} values.`) : undefined;
  }
  walk.offsets.set(spot.pointer, spot.offset);
  if (spot.depth > MAX_DEPTH) {
    walk.isCut = true;
    return refuse(walk, spot, 'too-deep', `Values nest at most ${MAX_DEPTH} deep.`);
  }
  if (node === null) return null;
  if (!isAlias(node) && node.tag !== undefined)
    refuse(walk, spot, 'yaml-tag', 'Tags are not read; write a string with quotes.');
  if (!isAlias(node) && node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  return readContent(walk, node, spot);
}

function readDocument(text: string, document: Document.Parsed, read: Walk['read']): YamlDocument {
  const walk: Walk = { ...openReading(text), anchors: new Map(), open: new Set(), read, isCut: false };
  for (const error of document.errors.slice(0, 20)) {
    const { offset, detail } = explainYaml(text, error);
    report(walk, offset, { code: 'invalid-yaml', pointer: '', detail });
  }
  if (walk.findings.length > 0) return { reading: walk, value: undefined };
  const value = readNode(walk, document.contents, { pointer: '', depth: 0, offset: 0 });
  return { reading: walk, value: walk.isCut ? undefined : value };
}

/** Whether a document between two `---` is empty or holds only comments: kubectl skips such a document too. */
const isEmpty = (node: Node): boolean =>
  node === null || (isScalar(node) && node.type === 'PLAIN' && node.value === '' && node.tag === undefined);

/** Documents of a text; a ConfigMap or file of manifests has some dozens. */
const MAX_DOCUMENTS = 1000;

/** Words and signs of a text: some 15 000 lines. Counting so many takes 20 ms; parsing them takes 100 ms and 100 MB. */
const MAX_LEXEMES = 100_000;

/** Takes no more items than it has to. */
function hasMoreThan(most: number, items: Iterable<unknown>): boolean {
  const iterator = items[Symbol.iterator]();
  for (let count = 0; count <= most; count += 1) if (iterator.next().done === true) return false;
  return true;
}

/** Refuses, before it is parsed, a text whose parsing takes seconds and hundreds of megabytes. */
function sizeFault(text: string): { readonly code: string; readonly detail: string } | undefined {
  if (hasMoreThan(MAX_DOCUMENTS, text.matchAll(/^---/gm)))
    return { code: 'too-many-documents', detail: `A file holds at most ${MAX_DOCUMENTS} documents.` };
  if (text.length <= MAX_LEXEMES || !hasMoreThan(MAX_LEXEMES, new Lexer().lex(text))) return undefined;
  return { code: 'too-many-values', detail: 'The file has too many lines and values; split it into several files.' };
}

/** Checks the depth of the token tree. The parser builds it without recursion, but the later steps recurse. */
function isTooDeep(tokens: readonly CST.Token[]): boolean {
  let level: readonly CST.Token[] = tokens;
  // One level of values is one level of tokens, and the document is one more.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH + 1) return true;
    level = level.flatMap(innerTokens);
  }
  return false;
}

function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap((item) => {
    const key = 'key' in item ? item.key : undefined;
    return [key, item.value].filter((inner) => inner !== undefined && inner !== null);
  });
}

function refusedStream(text: string, faults: readonly StreamFault[]): YamlDocument {
  const reading = openReading(text);
  for (const { offset, ...fault } of faults) report(reading, offset, { ...fault, pointer: '' });
  return { reading, value: undefined };
}

/**
 * Reads a stream of YAML 1.2 documents strictly: scalars by `plainScalar`, no tags, directives, merge keys or complex
 * keys. Aliases are read, up to 50 000 values a file. Empty documents are left out.
 */
export function readYamlText(source: string): readonly YamlDocument[] {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const faults = streamFaults(text);
  if (faults.length > 0) return [refusedStream(text, faults)];
  const size = sizeFault(text);
  if (size !== undefined) return [refusedStream(text, [{ offset: 0, ...size }])];
  const tokens = [...new Parser().parse(text)];
  if (isTooDeep(tokens))
    return [refusedStream(text, [{ offset: 0, code: 'too-deep', detail: `Values nest at most ${MAX_DEPTH} deep.` }])];
  // The failsafe schema leaves every scalar a string: `plainScalar` decides.
  const composer = new Composer({ version: '1.2', schema: 'failsafe', uniqueKeys: false, merge: false });
  const read = { values: 0 };
  return [...composer.compose(tokens)]
    .filter((document) => document.errors.length > 0 || !isEmpty(document.contents))
    .map((document) => readDocument(text, document, read));
}
