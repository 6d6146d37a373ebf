import { randomBytes } from 'node:crypto';
import type { StartPolicy } from '../../adapters/ledger/port.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { HOLE, type SharedText } from '../../core/json/shared-text.ts';

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** A JSON text with these values in the holes of `value`, as the platform makes it once for many runs. */
function shared(value: JsonValue, own: readonly JsonValue[]): SharedText {
  const text = JSON.stringify(value).replaceAll(JSON.stringify(HOLE), HOLE);
  return { shared: text, own: own.map((one) => JSON.stringify(one)) };
}

/** What an allowed run of a tenant with policies stores: a record of 0.7 kB and facts of 0.7 kB (policy.md §3.5). */
export function aPolicyRecord(runId: string, at: number, runsToday: number): StartPolicy {
  const decisionId = `dec_${runId.slice('run_'.length)}`;
  const time = new Date(at).toISOString();
  const [orbiset, orbId, caller] = ['acme.prod', 'acme.mailer@1.2.0', 'key:k7Qp2xZa'];
  const record = {
    decision_id: HOLE,
    at: HOLE,
    run_id: HOLE,
    orbiset: HOLE,
    orb_id: HOLE,
    caller: HOLE,
    phase: 'PreFlight',
    provider: null,
    decision: 'allow',
    default_used: true,
    policy_set_digest: `sha256:${'6b'.repeat(32)}`,
    engine: 'cel/0.6.1+orb-facts/1',
    facts_schema: 'orb-facts/1',
    facts_digest: HOLE,
    rules: [],
    denials: [],
    obligations: [],
    exceptions_used: [],
    shadow: { decision: 'would_allow', differs: false },
    decided_us: HOLE,
  };
  const facts = {
    caller: {
      groups: [],
      id: caller,
      kind: 'api_key',
      runs_today: HOLE,
      scopes: ['orbs:execute'],
      tenant: 'acme',
    },
    orb: {
      age_days: 30,
      confidence: 'medium',
      hosts: ['api.mail.example'],
      irreversible: true,
      labels: { tier: 'prod' },
      manifest_digest: 'sha256:62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a',
      name: 'mailer',
      orb_id: orbId,
      org: 'acme',
      providers: ['mail-a'],
      publisher_verified: true,
      score: 71,
      tier: 'bronze',
      tier_rank: 1,
      version: '1.2.0',
    },
    orbiset: {
      labels: { env: 'prod' },
      name: 'prod',
      namespace: 'acme',
      orb_runs_today: HOLE,
      runs_today: HOLE,
    },
    request: { fields: HOLE, input_bytes: HOLE },
    run: { has_idempotency_key: HOLE, started_at: HOLE },
  };
  return {
    decision: {
      decisionId,
      at,
      orbiset,
      orbId,
      caller,
      decision: 'allow',
      shadow: 'would_allow',
      shadowDiffers: false,
      policies: [],
      counted: true,
      inputsSha256: '',
      approvals: [],
      json: shared(record, [decisionId, time, runId, orbiset, orbId, caller, `sha256:${hex(32)}`, 41]),
    },
    facts: [
      {
        phase: 'PreFlight',
        provider: null,
        schema: 'orb-facts/1',
        salt: randomBytes(16),
        facts: shared(facts, [runsToday, runsToday, runsToday, ['recipient', 'subject'], 120, false, time]),
      },
    ],
    grants: [],
  };
}
