import { concatBytes, encodeUtf8 } from '../json/bytes.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { jcs } from '../json/jcs.ts';
import type { CompiledOutput } from '../orb/compiled-orb.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { readAnswer, type AnswerReading } from './read-answer.ts';
import { shownBody } from './shown-body.ts';

/** A provider's whole answer, and what to read from it. */
export interface AnswerWork {
  readonly status: number;
  readonly contentType: string | undefined;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  readonly outputs: readonly CompiledOutput[];
  /** Whether the body may be shown to a person. */
  readonly isShown: boolean;
}

/** One output, redacted, in both forms that an answer needs, as UTF-8. */
interface WrittenOutput {
  readonly name: string;
  readonly json: Uint8Array;
  /** Canonical JSON; the same object where both forms are equal. */
  readonly jcs: Uint8Array;
}

/** Outputs as bytes: nothing has to walk through their values again, or through their text. */
export interface WrittenOutputs {
  /** In the order of the outputs. */
  readonly members: readonly WrittenOutput[];
  /** Forms of secrets that were replaced. */
  readonly hits: number;
  /** Names of outputs that the answer lacks. */
  readonly missing: readonly string[];
}

/** What `readAnswer` says, with the outputs as bytes. */
export interface WrittenAnswer {
  readonly reading: Omit<AnswerReading, 'outputs'>;
  readonly outputs: WrittenOutputs | null;
  /** The body as a person may see it; undefined: it is not shown, or is not text. */
  readonly shown: string | undefined;
}

function writtenOutput(name: string, value: JsonValue): WrittenOutput {
  const [text, canonical] = [JSON.stringify(value), jcs(value)];
  const json = encodeUtf8(text);
  return { name, json, jcs: text === canonical ? json : encodeUtf8(canonical) };
}

function writtenOutputs(outputs: NonNullable<AnswerReading['outputs']>, redactor: Redactor): WrittenOutputs {
  const { value, hits } = redactor.json(outputs);
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return {
    members: members.map(([name, member]) => writtenOutput(name, member)),
    hits,
    missing: Object.keys(outputs).filter((name) => outputs[name] === null),
  };
}

/** Reads, redacts and writes an answer. It takes some seconds for a hostile answer of 4 MiB: never on the main thread. */
export function writeAnswer(work: AnswerWork, redactor: Redactor): WrittenAnswer {
  const head = { status: work.status, contentType: () => work.contentType, headers: () => work.headers };
  const { outputs, ...reading } = readAnswer(head, work.bytes, work.outputs);
  return {
    reading,
    outputs: outputs === null ? null : writtenOutputs(outputs, redactor),
    shown: work.isShown ? shownBody(work.bytes, redactor) : undefined,
  };
}

const byName = (one: WrittenOutput, other: WrittenOutput): number => (one.name < other.name ? -1 : 1);

/** Both forms of the outputs are the same bytes. */
export const isCanonical = ({ members }: WrittenOutputs): boolean =>
  members.every(({ json, jcs: canonical }) => json === canonical) &&
  members.every(({ name }, index) => index === 0 || (members[index - 1]?.name ?? '') < name);

/** The outputs as one JSON object, with null for those that are hidden. @param form canonical: as commitments need it */
export function outputsBytes({ members }: WrittenOutputs, hidden: readonly string[], form: 'json' | 'jcs'): Uint8Array {
  const ordered = form === 'jcs' ? members.toSorted(byName) : members;
  const parts = ordered.flatMap((member, index) => [
    encodeUtf8(`${index === 0 ? '' : ','}${jcs(member.name)}:`),
    hidden.includes(member.name) ? encodeUtf8('null') : member[form],
  ]);
  return concatBytes(encodeUtf8('{'), ...parts, encodeUtf8('}'));
}

/** Memory that only these bytes use: one thread may hand it over to another in place of a copy. */
export function ownMemory(...bytes: readonly Uint8Array[]): readonly ArrayBuffer[] {
  const whole = bytes.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(whole)];
}

/** The memory of a whole answer. */
export const buffersOf = ({ outputs }: WrittenAnswer): readonly ArrayBuffer[] =>
  ownMemory(...(outputs?.members ?? []).flatMap(({ json, jcs: canonical }) => [json, canonical]));
