import { deflateRawSync, inflateRawSync } from 'node:zlib';

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

/** How records are packed: stored beside each, so that a better way can follow. */
export const PACKING = 1;

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

/** Between the texts of a record: JSON has it in no place. */
const SEPARATOR = '\0';

const COLUMNS = 5;

/** Why a text can't be part of a record; undefined: it can. */
export function faultOfText(text: string, maxBytes: number): string | undefined {
  if (text.includes(SEPARATOR)) return 'JSON text holds no U+0000';
  return Buffer.byteLength(text) > maxBytes
    ? `JSON text of a decision or its facts is longer than ${maxBytes} bytes`
    : undefined;
}

/** Packs a record: some 15 µs. Its texts must have no fault. */
export function packRecord({ json, facts }: PolicyTexts): Uint8Array {
  const columns = facts.flatMap(([phase, provider, ...rest]) => [phase, provider ?? '', ...rest]);
  return deflateRawSync([json ?? '', ...columns].join(SEPARATOR), OPTIONS);
}

function factsIn(columns: readonly string[]): FactsColumns | undefined {
  const [name, provider, schema, salt, facts] = columns;
  const phase = PHASES.find((one) => one === name);
  if (phase === undefined || schema === undefined || salt === undefined || facts === undefined) return undefined;
  return [phase, provider === undefined || provider === '' ? null : provider, schema, salt, facts];
}

/** The inverse of `packRecord`; undefined: the bytes are damaged, or a newer program packed them. */
export function unpackRecord(bytes: Uint8Array, packing: number): PolicyTexts | undefined {
  if (packing !== PACKING) return undefined;
  let texts: readonly string[];
  try {
    texts = inflateRawSync(bytes, { ...OPTIONS, maxOutputLength: MAX_BYTES })
      .toString('utf8')
      .split(SEPARATOR);
  } catch {
    return undefined;
  }
  const [json = '', ...columns] = texts;
  const groups = Array.from({ length: Math.ceil(columns.length / COLUMNS) }, (_, index) =>
    factsIn(columns.slice(index * COLUMNS, (index + 1) * COLUMNS)),
  );
  const facts = groups.flatMap((group) => (group === undefined ? [] : [group]));
  return facts.length === groups.length ? { json: json === '' ? null : json, facts } : undefined;
}
