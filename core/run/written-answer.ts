import type { JsonValue } from '../json/json-value.ts';
import { isJsonObject } from '../json/json-value.ts';
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

/** One output, redacted, in both forms that an answer needs. */
interface WrittenOutput {
  readonly name: string;
  readonly json: string;
  /** Canonical JSON. */
  readonly jcs: string;
}

/** Outputs as text: nothing has to walk through their values again. */
export interface WrittenOutputs {
  /** In the order of the outputs. */
  readonly members: readonly WrittenOutput[];
  /** Forms of secrets that were replaced. */
  readonly hits: number;
  /** Names of outputs that the answer lacks. */
  readonly missing: readonly string[];
}

/** What `readAnswer` says, with the outputs as text. */
export interface WrittenAnswer {
  readonly reading: Omit<AnswerReading, 'outputs'>;
  readonly outputs: WrittenOutputs | null;
  /** The body as a person may see it; undefined: it is not shown, or is not text. */
  readonly shown: string | undefined;
}

const writtenOutput = (name: string, value: JsonValue): WrittenOutput => ({
  name,
  json: JSON.stringify(value),
  jcs: jcs(value),
});

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

/** The outputs as one JSON object, with null for those that are hidden. @param form canonical: as commitments need it */
export function outputsText({ members }: WrittenOutputs, hidden: readonly string[], form: 'json' | 'jcs'): string {
  const ordered = form === 'jcs' ? members.toSorted(byName) : members;
  const parts = ordered.map((member) => `${jcs(member.name)}:${hidden.includes(member.name) ? 'null' : member[form]}`);
  return `{${parts.join(',')}}`;
}
