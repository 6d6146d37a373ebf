import { randomBytes } from 'node:crypto';
import type { StartPolicy } from '../../adapters/ledger/port.ts';

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** What an allowed run of a tenant with policies stores: a record of 0.7 kB and facts of 0.7 kB (policy.md §3.5). */
export function aPolicyRecord(runId: string, at: number, runsToday: number): StartPolicy {
  const decisionId = `dec_${runId.slice('run_'.length)}`;
  const time = new Date(at).toISOString();
  const [orbiset, orbId, caller] = ['acme.prod', 'acme.mailer@1.2.0', 'key:k7Qp2xZa'];
  const record = {
    decision_id: decisionId,
    at: time,
    run_id: runId,
    orbiset,
    orb_id: orbId,
    caller,
    phase: 'PreFlight',
    provider: null,
    decision: 'allow',
    default_used: true,
    policy_set_digest: `sha256:${'6b'.repeat(32)}`,
    engine: 'cel/0.6.1+orb-facts/1',
    facts_schema: 'orb-facts/1',
    facts_digest: `sha256:${hex(32)}`,
    rules: [],
    denials: [],
    obligations: [],
    exceptions_used: [],
    shadow: { decision: 'would_allow', differs: false },
    decided_us: 41,
  };
  const facts = {
    caller: {
      groups: [],
      id: caller,
      kind: 'api_key',
      runs_today: runsToday,
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
      orb_runs_today: runsToday,
      runs_today: runsToday,
    },
    request: { fields: ['recipient', 'subject'], input_bytes: 120 },
    run: { has_idempotency_key: false, started_at: time },
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
      json: JSON.stringify(record),
    },
    facts: [
      {
        phase: 'PreFlight',
        provider: null,
        schema: 'orb-facts/1',
        salt: randomBytes(16),
        facts: JSON.stringify(facts),
      },
    ],
    grants: [],
  };
}
