import { expect } from 'chai';
import type { Dialer, DialLimits, UrlGuard } from '../../adapters/egress/port.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import type { StoredFacts, StoredDecision } from '../../adapters/ledger/port.ts';
import { digestOf } from '../../core/json/digest.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import { factsDigest } from '../../core/policy/facts/snapshot.ts';
import { answered, createTestRuntime, type Executed, type RuntimeOptions, type TestRuntime } from './a-runtime.ts';
import { at, payloadOf, textAt } from './members.ts';
import type { SqliteFixture } from './sqlite-ledger.ts';

/** @throws TypeError the text is no JSON object */
export function jsonIn(text: string | undefined): JsonObject {
  const value: unknown = JSON.parse(text ?? 'null');
  if (!isJsonObject(value)) throw new TypeError('no object');
  return value;
}

/** A call to a provider. */
export interface Dialled {
  readonly url: string;
  readonly limits: DialLimits;
  readonly guard: UrlGuard;
}

/** A dialer that notes each call, and answers it with 200. */
export const noting = (dialled: Dialled[]): Dialer => ({
  dial: ({ url }, limits, guard) => {
    dialled.push({ url, limits, guard });
    return Promise.resolve(answered({ id: 'x1', name: 'Ada' }));
  },
  halt: () => Promise.resolve(),
  resume: () => undefined,
  destroy: () => Promise.resolve(),
});

/** Result of a check of a receipt. */
export const checkOf = (record: JsonObject, id: string): unknown =>
  listAt(record, 'checks').find((check) => isJsonObject(check) && check['id'] === id);

export interface RuntimeWithPolicies extends TestRuntime {
  readonly set: PolicySet;
  /** Of its own, so that counts begin at zero. */
  readonly orbiset: string;
}

interface Kept {
  readonly decision: StoredDecision;
  readonly json: JsonObject;
  readonly facts: readonly StoredFacts[];
}

let orbisets = 0;

/** An Orbiset of its own for a test. @returns its name */
export function freshOrbiset(test: TestRuntime, spec: Readonly<Record<string, unknown>> = {}): string {
  orbisets += 1;
  test.addOrbiset(`prod-${orbisets}`, spec);
  return `prod-${orbisets}`;
}

/** Runs of the tenant `acme` with these policies, over a real ledger. */
export class PolicyRuns {
  readonly fixture: SqliteFixture;

  constructor(fixture: SqliteFixture) {
    this.fixture = fixture;
  }

  create(policies: readonly PolicyInForce[], parts: RuntimeOptions['parts'] = {}): RuntimeWithPolicies {
    const { ledger, clock } = this.fixture;
    const set = policySet(policies, []);
    const own = { of: (namespace: string) => (namespace === 'acme' ? set : undefined) };
    const test = createTestRuntime({ ledger, clock, parts: { policies: own, ...parts } });
    test.runtime.policyState.dayCounts.load(clock.now(), []);
    return { ...test, set, orbiset: freshOrbiset(test) };
  }

  /** The signed record of a run. */
  async recordOf({ body }: Executed): Promise<JsonObject> {
    const run = at(body, 'run');
    const id = textAt(isJsonObject(run) ? run : body, 'receipt', 'receipt_id');
    const receipt = await this.fixture.ledger.receipt('acme', id);
    return payloadOf(receipt?.jws);
  }

  /** What the ledger holds of the decision about a run. */
  readonly kept = async ({ body }: Executed): Promise<Kept> => {
    const run = at(body, 'run');
    const runId = textAt(isJsonObject(run) ? run : body, 'run_id');
    const decision = await this.fixture.ledger.decisionOfRun('acme', runId);
    if (decision === undefined) throw new Error('no decision is stored');
    return { decision, json: jsonIn(decision.json), facts: await this.fixture.ledger.runFacts('acme', runId) };
  };

  /** The digest of the receipt is that of the stored facts, as a replay checks it. */
  async expectFacts(answer: Executed, phases: readonly string[]): Promise<void> {
    const { facts } = await this.kept(answer);
    expect(facts.map(({ phase }) => phase)).to.deep.equal(phases);
    const digests = facts.map(({ phase, provider, salt, facts: text }) => ({
      phase,
      provider,
      digest: digestOf(Buffer.concat([salt, Buffer.from(text)]), sha256),
    }));
    expect(at(await this.recordOf(answer), 'policy', 'facts_digest')).to.equal(factsDigest(digests));
  }
}
