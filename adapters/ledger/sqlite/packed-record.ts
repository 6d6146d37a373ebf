import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fillJoined, HOLE, SEAM } from '../../../core/json/shared-text.ts';

const PHASES = ['PreFlight', 'Request', 'Response'] as const;

/** Facts of one phase, as they cross threads and are packed. */
export type FactsColumns = readonly [
  phase: (typeof PHASES)[number],
  provider: string | null,
  schema: string,
  /** base64: a text crosses to the writer's thread in half of the time of bytes. */
  salt: string,
  facts: string,
];

/** A decision as JSON text, if one was made, and the facts of its phases. */
export interface PolicyTexts {
  readonly json: string | null;
  readonly facts: readonly FactsColumns[];
}

/**
 * How records are packed: stored beside each, so that a better way can follow. 1: deflate. 2: a record that refers to
 * shared texts is its text, another is packed as in 1; the first byte says which.
 */
export const PACKING = 2;

/**
 * Texts that records are made of, the most frequent last. Deflate refers to them, so a record of 1.4 kB takes 0.3 kB. A
 * change is another `PACKING`, and the earlier dictionary stays for the records that were packed with it.
 */
const DICTIONARY = Buffer.from(
  [
    '"obligations":["restrictHosts","maxResponseBytes","timeoutMs","redactResponse","noStore","requireApproval"],',
    '"denials":[{"policy":"","rule":"default-deny","severity":"critical","code":"policy-error","message":""}],',
    '"exceptions_used":[{"policy":"","orb":"","caller":"","rule":"","until":"2026-12-31T00:00:00Z","reason":""}],',
    '\0Response\0\0orb-facts/1\0{"response":{"body_bytes":,"content_type":"application/json; charset=utf-8",',
    '"duration_ms":,"header_names":["content-length","content-type","date"],"status":200}}',
    '\0Request\0\0orb-facts/1\0{"request":{"body_bytes":,"header_names":["accept","authorization","content-type",',
    '"user-agent"],"host":"api..com","method":"POST","path":"/v1/","port":443,"provider":"","query_names":[],',
    '"secret_refs":[]}}"phase":"Request","provider":"","result":"error","decision":"deny","would_deny","differs":true',
    '"tier":"silver","gold","platinum","uncertified","confidence":"provisional","low","high",',
    '"rules":[{"policy":"","policy_digest":"sha256:","rule":"","effect":"require","allow","effect":"deny",',
    '"result":"true","enforced":false,"enforced":true,"severity":"low","severity":"high","severity":"medium",',
    '"message":""}],',
    '{"decision_id":"dec_0","at":"2026-","run_id":"run_0","receipt_id":"rcpt_0","orbiset":"","orb_id":"",',
    '"caller":"sa:anonymous","caller":"key:","phase":"PreFlight","provider":null,"decision":"allow",',
    '"default_used":false,"default_used":true,"policy_set_digest":"sha256:","engine":"cel/0.6.1+orb-facts/1",',
    '"facts_schema":"orb-facts/1","facts_digest":"sha256:","rules":[],"denials":[],"obligations":[],',
    '"exceptions_used":[],"shadow":{"decision":"would_allow","differs":false},"decided_us":}',
    '\0PreFlight\0\0orb-facts/1\0==\0{"caller":{"groups":[],"id":"key:","kind":"service_account","anonymous",',
    '"kind":"api_key","runs_today":1,"scopes":["orbs:execute"],"tenant":""},"inputs":{},"orb":{"age_days":,',
    '"confidence":"medium","hosts":["api..com"],"irreversible":true,"irreversible":false,"labels":{},',
    '"manifest_digest":"sha256:","name":"","orb_id":"@1.0.0","org":"","providers":[""],"publisher_verified":false,',
    '"publisher_verified":true,"score":0,"tier":"bronze","tier_rank":1,"version":"1.0.0"},"orbiset":{"labels":{},',
    '"name":"","namespace":"","orb_runs_today":1,"runs_today":1},"request":{"fields":[""],"input_bytes":1},',
    '"run":{"has_idempotency_key":true,"has_idempotency_key":false,"started_at":"2026-',
  ].join(''),
);

// A window of 4 KiB holds the dictionary and most records. Larger windows take longer to prepare than they save.
const OPTIONS = { level: 3, windowBits: 12, memLevel: 4, chunkSize: 1024, dictionary: DICTIONARY };

/** A decision with the facts of all its providers, at their longest, takes less. */
const MAX_BYTES = 32 * 1_048_576;

// Most records are one chunk then: further ones would be joined.
const INFLATE_OPTIONS = { windowBits: 12, chunkSize: 4096, dictionary: DICTIONARY, maxOutputLength: MAX_BYTES };

/** Between the texts of a record: JSON has it in no place. */
const SEPARATOR = '\0';

const COLUMNS = 5;

/** Before a text that refers to shared ones. */
const MARK = SEAM;

/** First bytes of a record. */
const AS_TEXT = '=';
const DEFLATED = 'z';

/**
 * SQL for a column of records beside their `packing`: a record that is its text is given as one. So most records need no
 * memory outside of the heap, which takes long to free.
 */
export const recordSql = (column: string): string =>
  `CASE WHEN packing = ${PACKING} AND substr(${column}, 1, 1) = CAST('${AS_TEXT}' AS BLOB)
     THEN CAST(${column} AS TEXT) ELSE ${column} END`;

/** Why a text can't be part of a record; undefined: it can. */
export function faultOfText(text: string, maxBytes: number): string | undefined {
  if (text.includes(SEPARATOR)) return 'JSON text holds no U+0000';
  if (text.startsWith(MARK)) return 'JSON text holds no U+0002';
  return Buffer.byteLength(text) > maxBytes
    ? `JSON text of a decision or its facts is longer than ${maxBytes} bytes`
    : undefined;
}

/**
 * A text in place of its shared part: the ids of that, and what is its own.
 * @param ids hexadecimal digits and commas
 * @param own its parts, joined by `HOLE`
 */
export const referTo = (ids: string, own: string): string => `${MARK}${ids}${HOLE}${own}`;

/**
 * Packs a record: some 15 µs, or 1 when its texts refer to shared ones. Its texts must have no fault.
 * @param packing of the record; an earlier one knows no shared texts
 */
export function packRecord({ json, facts }: PolicyTexts, packing = PACKING): Uint8Array {
  let text = json ?? '';
  for (const [phase, provider, schema, salt, snapshot] of facts)
    text += `${SEPARATOR}${phase}${SEPARATOR}${provider ?? ''}${SEPARATOR}${schema}${SEPARATOR}${salt}${SEPARATOR}${snapshot}`;
  if (packing === 1) return deflateRawSync(text, OPTIONS);
  return text.includes(MARK)
    ? Buffer.from(AS_TEXT + text)
    : Buffer.concat([Buffer.from(DEFLATED), deflateRawSync(text, OPTIONS)]);
}

/** Texts around the holes of a shared text, by its ids; undefined: it is not there. */
export type PartsOf = (ids: string) => readonly string[] | undefined;

const inflated = (bytes: Uint8Array): string => inflateRawSync(bytes, INFLATE_OPTIONS).toString('utf8');

/** @throws what `zlib` throws for damaged bytes */
function textIn(bytes: Uint8Array | string, packing: number): string | undefined {
  if (typeof bytes === 'string') return packing === PACKING ? bytes.slice(AS_TEXT.length) : undefined;
  if (packing === 1) return inflated(bytes);
  if (packing !== PACKING) return undefined;
  const form = String.fromCodePoint(bytes[0] ?? 0);
  const rest = bytes.subarray(1);
  if (form === DEFLATED) return inflated(rest);
  return form === AS_TEXT ? Buffer.from(rest.buffer, rest.byteOffset, rest.byteLength).toString('utf8') : undefined;
}

/** A text with its shared part in place of the ids; undefined: the shared part is not there, or is another one. */
function wholeOf(text: string, partsOf: PartsOf): string | undefined {
  if (!text.startsWith(MARK)) return text;
  const end = text.indexOf(HOLE);
  const parts = partsOf(text.slice(MARK.length, end));
  return parts && fillJoined(parts, text, end + HOLE.length);
}

const isPhase = (text: string | undefined): text is FactsColumns[0] => PHASES.some((one) => one === text);

/** The facts whose columns begin at a place. */
function factsIn(columns: readonly string[], at: number, partsOf: PartsOf): FactsColumns | undefined {
  const phase = columns[at];
  const provider = columns[at + 1] ?? '';
  const schema = columns[at + 2];
  const salt = columns[at + 3];
  const facts = wholeOf(columns[at + 4] ?? '', partsOf);
  if (!isPhase(phase) || schema === undefined || salt === undefined || facts === undefined) return undefined;
  return [phase, provider === '' ? null : provider, schema, salt, facts];
}

/**
 * The inverse of `packRecord`; undefined: the bytes are damaged, or a newer program packed them.
 * @param bytes or what `recordSql` gives
 */
export function unpackRecord(bytes: Uint8Array | string, packing: number, partsOf: PartsOf): PolicyTexts | undefined {
  let text: string | undefined;
  try {
    text = textIn(bytes, packing);
  } catch {
    return undefined;
  }
  const columns = text?.split(SEPARATOR);
  if (columns === undefined || columns.length % COLUMNS !== 1) return undefined;
  const json = wholeOf(columns[0] ?? '', partsOf);
  if (json === undefined) return undefined;
  const all: FactsColumns[] = [];
  for (let at = 1; at < columns.length; at += COLUMNS) {
    const facts = factsIn(columns, at, partsOf);
    if (facts === undefined) return undefined;
    all.push(facts);
  }
  return { json: json === '' ? null : json, facts: all };
}
