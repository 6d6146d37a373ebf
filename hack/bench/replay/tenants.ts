import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';

/** A tenant of the benchmark. Each has the same Orbs, and two Orbisets. */
export interface Tenant {
  readonly namespace: string;
  readonly policies: Readonly<Record<string, OrbPolicySpec>>;
  /** Default of its Orbiset `strict`. */
  readonly strictDefault: 'allow' | 'deny';
}

/** A tenant that only records, as before its first policy: its receipts are replayed with a draft. */
export const RECORDING: Tenant = {
  namespace: 'recording',
  policies: { recording: { mode: 'Audit', rules: [] } },
  strictDefault: 'allow',
};

/** The draft: five rules, of which three read the run. */
export const DRAFT: OrbPolicySpec = {
  mode: 'Enforce',
  variables: [{ name: 'spent_microusd', expression: 'orbiset.orb_runs_today * 850' }],
  rules: [
    {
      name: 'needs-key',
      effect: 'deny',
      when: 'orb.irreversible && !run.has_idempotency_key && request.input_bytes > 250',
    },
    { name: 'certified', effect: 'deny', when: 'orb.tier_rank < 0' },
    { name: 'budget', effect: 'deny', when: 'variables.spent_microusd >= 100000000' },
    { name: 'hosts', effect: 'deny', when: 'orb.hosts.exists(h, !h.endsWith(".example"))' },
    { name: 'large', effect: 'deny', when: 'request.input_bytes > 65536 || request.fields.size() > 100' },
  ],
};

const FAR = '2027-01-01T00:00:00Z';

/**
 * A tenant with policies in force: denials before the start, of one provider, of all and of answers; obligations, an
 * exception, a rollout, an Audit policy with an input, rules that fail, and an Orbiset whose default denies.
 * @param mostRuns of a caller and day
 */
export const enforcing = (mostRuns: number): Tenant => ({
  namespace: 'enforcing',
  strictDefault: 'deny',
  policies: {
    guard: {
      mode: 'Enforce',
      rules: [
        { name: 'needs-key', effect: 'deny', when: 'orb.irreversible && !run.has_idempotency_key', severity: 'high' },
        { name: 'budget', effect: 'deny', when: `caller.runs_today >= ${mostRuns}` },
        { name: 'known', effect: 'allow', when: '"orbs:execute" in caller.scopes && request.fields.size() < 5' },
      ],
      exceptions: [{ rule: 'needs-key', caller: 'key:bench-0', until: FAR, reason: 'An old client.' }],
    },
    region: {
      mode: 'Enforce',
      match: { phases: ['PreFlight', 'Request'] },
      rules: [
        {
          name: 'one-region',
          effect: 'require',
          when: 'orb.name.startsWith("mail") && request.input_bytes > 150',
          obligations: [{ type: 'restrictHosts', hosts: ['*.eu.example', 'mail.example'] }],
        },
      ],
    },
    requests: {
      mode: 'Enforce',
      match: { phases: ['Request'] },
      rules: [
        { name: 'no-us', effect: 'deny', when: 'request.host.endsWith(".us.example") && request.body_bytes > 90' },
      ],
    },
    answers: {
      mode: 'Enforce',
      match: { phases: ['Response'] },
      rules: [
        { name: 'too-long', effect: 'deny', when: 'response.body_bytes > 500' },
        {
          name: 'without-status',
          effect: 'require',
          when: 'response.header_names.exists(n, n == "x-internal")',
          obligations: [{ type: 'redactResponse', outputs: ['status'] }],
        },
      ],
    },
    watch: {
      mode: 'Audit',
      inputFacts: { amount_cents: 'int' },
      rules: [{ name: 'large', effect: 'deny', when: 'has(inputs.amount_cents) && inputs.amount_cents > 50000' }],
    },
    fresh: {
      mode: 'Enforce',
      failurePolicy: 'Ignore',
      rules: [{ name: 'too-new', effect: 'deny', when: 'orb.age_days < 1' }],
    },
    some: {
      mode: 'Enforce',
      rollout: { percent: 30 },
      rules: [{ name: 'late', effect: 'deny', when: 'run.started_at.getHours() == 23' }],
    },
  },
});

const execution = (host: string): object => ({
  type: 'http',
  method: 'POST',
  url: `https://${host}/v1/send`,
  headers: { Authorization: 'Bearer {{orbiset.secrets.TOKEN}}', 'Content-Type': 'application/json' },
  body_template: '{"to":"{{inputs.recipient}}","text":"{{inputs.text}}"}',
});

interface OrbText {
  readonly name: string;
  readonly host: string;
  /** Of a second provider. */
  readonly other?: string;
  readonly irreversible?: true;
}

const ORBS: readonly OrbText[] = [
  { name: 'lookup', host: 'lookup.example' },
  { name: 'mail', host: 'mail.example', irreversible: true },
  { name: 'mail-two', host: 'a.us.example', other: 'b.eu.example' },
  { name: 'translate', host: 'translate.us.example' },
];

/** `bench.NAME@1.0.0` of each Orb. */
export const ORB_IDS: readonly string[] = ORBS.map(({ name }) => `bench.${name}@1.0.0`);

const orbSpec = ({ name, host, other, irreversible }: OrbText): object => ({
  orb_id: `bench.${name}@1.0.0`,
  provider: 'first',
  description: 'Sends one text to a provider of the benchmark.',
  ...(irreversible === true ? { effect: 'irreversible' } : {}),
  inputs: {
    recipient: { type: 'string', required: true },
    text: { type: 'string', required: true },
    amount_cents: { type: 'integer' },
    note: { type: 'string' },
    tag: { type: 'string' },
  },
  outputs: { message_id: { type: 'string' }, status: { type: 'string' } },
  execution: execution(host),
  ...(other === undefined
    ? {}
    : { providers: { second: { execution: execution(other) } }, swap_config: { fallbacks: ['second'] } }),
});

const HOSTS = ['lookup.example', 'mail.example', 'a.us.example', 'b.eu.example', 'translate.us.example'];

const document = (kind: string, metadata: object, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind,
  metadata,
  spec,
});

/** Everything of a tenant, as a file of `--resources`. */
export function resourcesOf({ namespace, policies, strictDefault }: Tenant): string {
  const vault = { secrets: [{ name: 'bench', allowedHosts: HOSTS }] };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bench', namespace },
    stringData: { TOKEN: 'token-of-the-benchmark' },
  };
  const documents = [
    ...ORBS.map((orb) => document('Orb', { name: orb.name, namespace, labels: { team: 'bench' } }, orbSpec(orb))),
    document('Orbiset', { name: 'prod', namespace, labels: { env: 'prod' } }, { vault }),
    document('Orbiset', { name: 'strict', namespace }, { vault, policies: { defaultEffect: strictDefault } }),
    secret,
    ...Object.entries(policies).map(([name, spec]) => document('OrbPolicy', { name, namespace }, spec)),
  ];
  return documents.map((one) => JSON.stringify(one)).join('\n---\n');
}
