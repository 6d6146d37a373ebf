import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { listAt, member, objectAt } from '../../json/members.ts';
import type { OrbisetPolicies } from '../../manifest/policies.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import type { Phase } from '../facts/fact-schema.ts';
import { factsDigest, saltedDigest } from '../facts/snapshot.ts';
import type { RecordedFacts, RecordedRun } from './recorded-run.ts';
import { FactsReader, objectIn, receiptMembers, recordMembers } from './recorded-texts.ts';
import type { ReplayInput } from './replay-walk.ts';
import { jwsDigest, type ReceiptTexts } from './receipt-texts.ts';

/** A stored run, before anything of it is checked. */
export interface StoredRun extends ReceiptTexts {
  readonly receiptId: string;
  readonly orbId: string;
  /** ms since epoch */
  readonly at: number;
  /** Its log entry; null: there is none. */
  readonly entry: string | null;
  readonly caller: string;
  /** The record of the decision; null: none is stored, or it can't be read. */
  readonly record: string | null;
  readonly facts: readonly {
    readonly phase: Phase;
    readonly provider: string | null;
    readonly schema: string;
    readonly salt: Uint8Array;
    readonly facts: string;
  }[];
}

/** What today says about the recorded runs. */
export interface ReplayContext {
  readonly namespace: string;
  /** By `namespace.name`. */
  readonly orbisets: ReadonlyMap<string, OrbisetPolicies>;
  /** The policies in force: runs under the same set exposed the same inputs. */
  readonly inForce: Pick<PolicySet, 'digest' | 'inputNames'>;
  /** One for the replay: it remembers facts that runs share. */
  readonly facts: FactsReader;
}

const EMPTY_DIGEST = factsDigest([]);

const textAt = (value: JsonValue | undefined, name: string): string => {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
};

/** The receipt is the one of its log entry. */
function isLogged(stored: StoredRun): boolean {
  const logged = stored.entry === null ? undefined : objectIn(stored.entry);
  return logged?.['receipt_id'] === stored.receiptId && logged['jws_sha256'] === jwsDigest(stored);
}

/** The receipt, when it is the one of its log entry and says what it is stored as. */
function checkedReceipt(stored: StoredRun): JsonObject | undefined {
  const receipt = isLogged(stored) ? receiptMembers(stored.payload) : undefined;
  return receipt?.['receipt_id'] === stored.receiptId ? receipt : undefined;
}

/** The facts that the receipt has the digest of; undefined: they are others. */
function checkedFacts({ facts }: StoredRun, signed: string, reader: FactsReader): readonly RecordedFacts[] | undefined {
  if (facts.length === 0) return [];
  const digests = facts.map(({ phase, provider, salt, facts: text }) => ({
    phase,
    provider,
    digest: saltedDigest(salt, text),
  }));
  if (factsDigest(digests) !== signed) return undefined;
  const read: RecordedFacts[] = [];
  for (const { phase, provider, schema, facts: text } of facts) {
    const parsed = reader.read(text);
    if (parsed === undefined) return undefined;
    read.push({ phase, provider, schema, facts: parsed });
  }
  return read;
}

const attemptsOf = (receipt: JsonObject): readonly JsonValue[] => listAt(objectAt(receipt, 'execution'), 'attempts');

/** A run without an attempt was denied before it started. */
function denialPhase(receipt: JsonObject, facts: readonly RecordedFacts[]): Phase | undefined {
  if (textAt(receipt['policy'], 'decision') !== 'deny') return undefined;
  if (attemptsOf(receipt).length > 0) return 'Response';
  return facts.some(({ phase }) => phase === 'Request') ? 'Request' : 'PreFlight';
}

/** Default of the Orbiset, as far as the record shows that it decided, or that it did not deny. */
function defaultOf(record: JsonObject, facts: readonly RecordedFacts[]): RecordedRun['defaultEffect'] {
  const denials = listAt(record, 'denials');
  if (denials.some((denial) => textAt(denial, 'code') === 'default-deny' && textAt(denial, 'policy') === ''))
    return 'deny';
  // With later phases, the record does not say in which of them no rule decided.
  const isPreFlightAlone = facts.length === 1 && denials.length === 0;
  return isPreFlightAlone && record['default_used'] === true ? 'allow' : undefined;
}

const approvalsOf = (record: JsonObject): readonly string[] =>
  listAt(record, 'obligations')
    .filter((one) => textAt(one, 'type') === 'requireApproval')
    .map((one) => textAt(one, 'by'));

/** `policy/rule`, as results of replays name the rule that denied. */
function ruleOf(record: JsonObject): string {
  const [denial] = listAt(record, 'denials');
  const policy = textAt(denial, 'policy');
  return policy === '' ? textAt(denial, 'rule') : `${policy}/${textAt(denial, 'rule')}`;
}

interface CheckedRun {
  readonly receipt: JsonObject;
  readonly record: JsonObject;
  readonly facts: readonly RecordedFacts[];
}

function runOf({ receipt, record, facts }: CheckedRun, { inForce }: ReplayContext): RecordedRun {
  const policy = objectAt(receipt, 'policy');
  const deniedIn = denialPhase(receipt, facts);
  return {
    snapshots: facts,
    absent: textAt(policy, 'facts_digest') === EMPTY_DIGEST ? 'facts_not_recorded' : 'facts_erased',
    deniedIn,
    isAnswered: attemptsOf(receipt).some((attempt) => textAt(attempt, 'outcome') === 'success'),
    inputNames: textAt(policy, 'set_digest') === inForce.digest ? inForce.inputNames : [],
    approved: deniedIn === undefined || deniedIn === 'Response' ? approvalsOf(record) : [],
    defaultEffect: defaultOf(record, facts),
  };
}

/**
 * Checks a stored run by the digests that its receipt and its log entry hold (policy.md §6), and puts together what a
 * replay needs. The signature of the receipt is not looked at.
 * @returns undefined: a digest does not match
 */
export function readRecorded(stored: StoredRun, context: ReplayContext): ReplayInput | undefined {
  const receipt = checkedReceipt(stored);
  if (receipt === undefined) return undefined;
  const policy = objectAt(receipt, 'policy');
  const facts = checkedFacts(stored, textAt(policy, 'facts_digest'), context.facts);
  if (facts === undefined) return undefined;
  const record = (stored.record === null ? undefined : recordMembers(stored.record)) ?? {};
  const obligations = member(record, 'obligations');
  const orbiset = objectAt(facts[0]?.facts, 'orbiset');
  const { receiptId, orbId, at, caller } = stored;
  return {
    receiptId,
    orbId,
    at,
    caller,
    namespace: context.namespace,
    orbiset: context.orbisets.get(`${textAt(orbiset, 'namespace')}.${textAt(orbiset, 'name')}`),
    decision: textAt(policy, 'decision') === 'deny' ? 'deny' : 'allow',
    rule: ruleOf(record),
    obligations: obligations === undefined ? undefined : JSON.stringify(obligations),
    run: runOf({ receipt, record, facts }, context),
  };
}
