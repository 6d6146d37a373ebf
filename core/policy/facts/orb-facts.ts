import { factSchema, type ChangesWith, type FactDefinition, type FactSchema, type FactType } from './fact-schema.ts';
import type { Phase } from './fact-schema.ts';

export const FACTS_SCHEMA = 'orb-facts/1';

type Bounds = Partial<Pick<FactDefinition, 'isNullable' | 'isStateful' | 'min' | 'max' | 'maxLength' | 'maxItems'>>;

const defaults = {
  isNullable: false,
  isStateful: false,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  maxLength: 253,
  maxItems: 64,
  since: FACTS_SCHEMA,
} as const;

const fact = (
  [phase, changesWith]: readonly [Phase, ChangesWith],
  [path, type, bounds]: readonly [string, FactType, Bounds],
  doc: string,
): FactDefinition => ({ ...defaults, path, type, phase, changesWith, doc, ...bounds });

const ORB = ['PreFlight', 'orb'] as const;
const CALLER = ['PreFlight', 'caller'] as const;
const ORBISET = ['PreFlight', 'orbiset'] as const;
const RUN = ['PreFlight', 'run'] as const;
const REQUEST = ['Request', 'run'] as const;
const RESPONSE = ['Response', 'run'] as const;
const COUNT = { isStateful: true } as const;
// Longest prefix and name of a label of Kubernetes; its values are shorter.
const LABELS = { maxLength: 317 } as const;

/** Facts of `orb-facts/1` (policy.md §4), except those that a policy's `inputFacts` add. */
const FACTS: readonly FactDefinition[] = [
  fact(ORB, ['orb.orb_id', 'string', {}], 'The id, {org}.{name}@{version}.'),
  fact(ORB, ['orb.org', 'string', { maxLength: 63 }], 'The organisation, the part before the first dot of the id.'),
  fact(ORB, ['orb.name', 'string', {}], 'The name, without organisation and version.'),
  fact(ORB, ['orb.version', 'string', {}], 'The semantic version.'),
  fact(ORB, ['orb.manifest_digest', 'string', { maxLength: 71 }], 'Digest of the manifest: sha256 and 64 digits.'),
  fact(ORB, ['orb.labels', 'map<string, string>', LABELS], 'Labels of the Orb.'),
  fact(ORB, ['orb.tier', 'string', { maxLength: 16 }], 'uncertified, bronze, silver, gold or platinum.'),
  fact(ORB, ['orb.tier_rank', 'int', { max: 4 }], 'The tier as a number: uncertified 0, bronze 1 … platinum 4.'),
  fact(ORB, ['orb.score', 'int', { max: 100 }], 'Reputation of the published version, 0 to 100.'),
  fact(ORB, ['orb.confidence', 'string', { maxLength: 16 }], 'How sure the score is, such as provisional.'),
  fact(ORB, ['orb.publisher_verified', 'bool', {}], 'Whether the publisher has proved its domain.'),
  fact(ORB, ['orb.irreversible', 'bool', {}], 'Whether an execution leaves something behind that nobody can undo.'),
  fact(ORB, ['orb.age_days', 'int', { isNullable: true }], 'Days since publication; absent when never published.'),
  fact(ORB, ['orb.hosts', 'list<string>', { maxItems: 32 }], 'Literal hosts of all its providers.'),
  fact(ORB, ['orb.providers', 'list<string>', { maxItems: 32, maxLength: 63 }], 'Names of all its providers.'),
  fact(CALLER, ['caller.kind', 'string', { maxLength: 16 }], 'api_key, service_account or anonymous.'),
  fact(CALLER, ['caller.id', 'string', { maxLength: 320 }], 'key:KEYID, sa:NAMESPACE/NAME or anonymous.'),
  fact(CALLER, ['caller.tenant', 'string', { maxLength: 63 }], 'Namespace of the Orbiset.'),
  fact(CALLER, ['caller.scopes', 'list<string>', { maxLength: 64 }], 'Scopes of the key or the ServiceAccount.'),
  fact(CALLER, ['caller.groups', 'list<string>', { maxLength: 256 }], 'Groups of a ServiceAccount, else empty.'),
  fact(RUN, ['caller.runs_today', 'int', COUNT], 'Allowed runs of this UTC day by this caller in this tenant.'),
  fact(ORBISET, ['orbiset.namespace', 'string', { maxLength: 63 }], 'Namespace of the Orbiset: the tenant.'),
  fact(ORBISET, ['orbiset.name', 'string', {}], 'Name of the Orbiset.'),
  fact(ORBISET, ['orbiset.labels', 'map<string, string>', LABELS], 'Labels of the Orbiset.'),
  fact(RUN, ['orbiset.runs_today', 'int', COUNT], 'Allowed runs of this UTC day in this Orbiset.'),
  fact(RUN, ['orbiset.orb_runs_today', 'int', COUNT], 'Allowed runs of this UTC day of this Orb in this Orbiset.'),
  fact(RUN, ['run.started_at', 'timestamp', {}], 'When the run began. It is the only clock: recorded, not read.'),
  fact(RUN, ['run.has_idempotency_key', 'bool', {}], 'Whether the caller sent an Idempotency-Key.'),
  fact(RUN, ['request.fields', 'list<string>', { maxItems: 256 }], 'Dotted paths of the inputs; absent beyond 256.'),
  fact(RUN, ['request.input_bytes', 'int', {}], 'Bytes of the canonical JSON of the inputs.'),
  fact(REQUEST, ['request.provider', 'string', { maxLength: 63 }], 'Name of the provider.'),
  fact(REQUEST, ['request.method', 'string', { maxLength: 16 }], 'HTTP method.'),
  fact(REQUEST, ['request.host', 'string', {}], 'Host of the final URL, in lower-case A-label form.'),
  fact(REQUEST, ['request.port', 'int', { min: 1, max: 65_535 }], 'Port of the final URL.'),
  fact(REQUEST, ['request.path', 'string', { maxLength: 2048 }], 'Path; secret parts are shown as placeholders.'),
  fact(REQUEST, ['request.query_names', 'list<string>', { maxLength: 128 }], 'Names in the query, without values.'),
  fact(REQUEST, ['request.header_names', 'list<string>', { maxLength: 128 }], 'Names of headers, in lower case.'),
  fact(REQUEST, ['request.secret_refs', 'list<string>', {}], 'Names of the secrets that the request uses.'),
  fact(REQUEST, ['request.body_bytes', 'int', {}], 'Bytes of the body.'),
  fact(RESPONSE, ['response.status', 'int', { min: 100, max: 599 }], 'HTTP status of the answer.'),
  fact(RESPONSE, ['response.body_bytes', 'int', {}], 'Bytes of the answer.'),
  fact(RESPONSE, ['response.duration_ms', 'int', {}], 'Milliseconds from the start of the run to the answer.'),
  fact(RESPONSE, ['response.content_type', 'string', { maxLength: 256 }], 'Content type of the answer.'),
  fact(RESPONSE, ['response.header_names', 'list<string>', { maxLength: 128 }], 'Names of headers, in lower case.'),
];

/** The fact schema of this program. */
export const ORB_FACTS: FactSchema = factSchema(FACTS_SCHEMA, FACTS);

/** Types that an input may have as a fact. */
export type InputFactType = 'string' | 'int' | 'bool';

/** Longest value of a string input that becomes a fact, UTF-16 units; a longer one is absent. */
export const MAX_INPUT_FACT = 1024;

/** The schema with the facts `inputs.NAME` that a policy declares; each may be absent. */
export const withInputs = (schema: FactSchema, inputs: Readonly<Record<string, InputFactType>>): FactSchema => {
  const declared = Object.entries(inputs).map(([name, type]) =>
    fact(
      RUN,
      [
        `inputs.${name}`,
        type,
        { isNullable: true, maxLength: MAX_INPUT_FACT, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
      ],
      'An input of the run.',
    ),
  );
  return declared.length === 0 ? schema : factSchema(schema.id, [...schema.facts.values(), ...declared]);
};
