import type {
  FinishPolicy,
  NewDecision,
  NewGrant,
  NewReplay,
  NewViolation,
  PolicyVersion,
  ReplayUpdate,
  StartPolicy,
  StoredFacts,
} from '../../adapters/ledger/port.ts';
import { entryText } from '../../core/log-entry/entry.ts';
import { LEDGER_NOW, receiptIdOf } from './ledger-rows.ts';
import { DIGEST, ORB } from './reputation-rows.ts';

/** 2026-11-20T00:00:00Z, the begin of the day of `LEDGER_NOW`. */
export const LEDGER_DAY = Math.floor(LEDGER_NOW / 86_400_000) * 86_400_000;

export const decisionIdOf = (number: number): string =>
  `dec_019aa000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** An allowed run of `acme.prod` that counts. */
export const aDecision = (number: number, change: Partial<NewDecision> = {}): NewDecision => ({
  decisionId: decisionIdOf(number),
  at: LEDGER_NOW,
  orbiset: 'acme.prod',
  orbId: 'acme.echo@1.0.0',
  caller: 'key:k7Qp2xZa',
  decision: 'allow',
  shadow: 'would_allow',
  shadowDiffers: false,
  policies: [],
  counted: true,
  inputsSha256: 'ab'.repeat(32),
  approvals: [],
  json: `{"decision":"allow","number":${number}}`,
  ...change,
});

/** A run that waits for an approval. */
export const aDenial = (number: number, change: Partial<NewDecision> = {}): NewDecision =>
  aDecision(number, {
    decision: 'deny',
    shadow: 'would_deny',
    policies: ['acme/payments'],
    counted: false,
    approvals: ['payments:approve', 'risk:approve'],
    json: `{"decision":"deny","number":${number}}`,
    ...change,
  });

export const someFacts = (change: Partial<StoredFacts> = {}): StoredFacts => ({
  phase: 'PreFlight',
  provider: null,
  schema: 'orb-facts/1',
  salt: Buffer.alloc(16, 7),
  facts: '{"caller":{"id":"key:k7Qp2xZa"},"run":{"has_idempotency_key":false}}',
  ...change,
});

/** Start member `policy` of the run of `aStart(number)`. */
export const aStartPolicy = (number: number, change: Partial<StartPolicy> = {}): StartPolicy => ({
  decision: aDecision(number),
  facts: [],
  grants: [],
  ...change,
});

/** Finish member `policy` that says nothing. */
export const aFinishPolicy = (change: Partial<FinishPolicy> = {}): FinishPolicy => ({
  facts: [],
  violations: [],
  ...change,
});

/** A violation by the run of `aFinish(number)`. */
export function aViolation(number: number, change: Partial<NewViolation> = {}): NewViolation {
  const { rule, manifestDigest } = { rule: 'orb-system/standing/low-tier', manifestDigest: DIGEST, ...change };
  const named = {
    orb_id: ORB,
    manifest_digest: manifestDigest,
    rule,
    severity: 'high',
    receipt_id: receiptIdOf(number),
  };
  const entry = entryText({ kind: 'violation', ...named, severity: 'high', at: new Date(LEDGER_NOW).toISOString() });
  return { rule, manifestDigest, day: LEDGER_DAY / 86_400_000, entry, ...change };
}

/** An approval of `aDenial(1)` for 15 minutes. */
export const aGrant = (change: Partial<NewGrant> = {}): NewGrant => ({
  grantId: 'grt_1',
  tenant: 'acme',
  decisionId: decisionIdOf(1),
  orbiset: 'acme.prod',
  caller: 'key:k7Qp2xZa',
  orbId: 'acme.echo@1.0.0',
  inputsSha256: 'ab'.repeat(32),
  scope: 'payments:approve',
  by: 'key:approver',
  at: LEDGER_NOW,
  expiresAt: LEDGER_NOW + 900_000,
  ...change,
});

export const aPolicyVersion = (change: Partial<PolicyVersion> = {}): PolicyVersion => ({
  namespace: 'acme',
  name: 'prod-limits',
  digest: `sha256:${'1'.repeat(64)}`,
  generation: 1,
  uid: 'uid-1',
  at: LEDGER_NOW,
  by: 'key:k7Qp2xZa',
  mode: 'Audit',
  spec: '{"rules":[]}',
  tests: '{"passed":1,"failed":0}',
  ...change,
});

export const aReplay = (number: number, change: Partial<NewReplay> = {}): NewReplay => ({
  replayId: `rpl_${number}`,
  tenant: 'acme',
  namespace: 'acme',
  name: 'prod-limits',
  policyDigest: `sha256:${'1'.repeat(64)}`,
  startedAt: LEDGER_NOW + number,
  owner: 'one',
  request: `{"number":${number}}`,
  ...change,
});

/** The end of a replay that decided 1 000 runs of a week. */
export const aCompletion = (change: Partial<ReplayUpdate> = {}): ReplayUpdate => ({
  status: 'completed',
  endedAt: LEDGER_NOW + 5000,
  result: '{"status":"completed"}',
  totals: { evaluated: 1000, indeterminate: 3, newDenies: 0, windowMs: 604_800_000 },
  jws: 'e30.e30.AA',
  ...change,
});
