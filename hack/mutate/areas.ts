import { globSync } from 'node:fs';

/** Folders and files that decide about a tenant's safety, by the name under which `npm run mutate` takes them. */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  'egress guard': ['adapters/egress', 'core/egress', 'core/network'],
  'API keys': ['adapters/api-keys', 'core/api-key'],
  'vault and RoleBindings': ['core/orbiset', 'operator/kinds/role-binding', 'adapters/vault-file', 'api-server/vault'],
  redaction: ['core/redaction'],
  templates: ['core/template'],
  verification: ['core/verify'],
  'webhook verification': ['core/ingestion/verification'],
  idempotency: ['api-server/run/idempotency.ts', 'adapters/ledger/tables/idempotency.ts'],
  'policy decisions': ['core/policy/decision'],
  runtime: ['api-server/run'],
  reputation: ['core/reputation'],
};

/** Tests of a folder that stand elsewhere: the unit tests of what is built from it. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  'adapters/api-keys': ['test/unit/api-server/http/server.test.ts'],
  'adapters/egress': ['test/unit/core/manifest-rules'],
  'adapters/ledger/tables': [
    'test/unit/adapters/ledger/sqlite-ledger.test.ts',
    'test/unit/adapters/ledger/sqlite-ledger-open.test.ts',
    'test/unit/api-server/run/idempotency.test.ts',
  ],
  'api-server/ingestion': ['test/unit/api-server/services/ingestion'],
  'api-server/run': ['test/unit/api-server/services/execute'],
  'api-server/vault': ['test/unit/api-server/feeds'],
  'core/api-key': ['test/unit/adapters/api-keys'],
  'core/egress': ['test/unit/core/run', 'test/unit/core/orb/lint-hosts.test.ts'],
  'core/ingestion/verification': ['test/unit/api-server/ingestion'],
  'core/network': ['test/unit/adapters/egress', 'test/unit/adapters/http', 'test/unit/core/manifest-rules'],
  'core/orbiset': ['test/unit/operator/kinds/role-binding', 'test/unit/operator/kinds/orbiset'],
  'core/policy/decision': ['test/unit/api-server/policy', 'test/unit/api-server/run'],
  'core/receipt': ['test/unit/core/verify', 'test/unit/api-server/run'],
  'core/redaction': ['test/unit/adapters/telemetry'],
  'core/reputation': [
    'test/unit/hack/vectors.test.ts',
    'test/unit/adapters/reputation-worker',
    'test/unit/cli/reputation',
    'test/unit/api-server/reputation',
  ],
  'core/template': ['test/unit/core/run', 'test/unit/core/orb'],
  'core/verify': ['test/unit/cli/verify', 'test/unit/cli/receipts'],
  'operator/kinds': ['test/unit/core/orbiset', 'test/unit/operator/kinds/orbiset'],
};

const testsIn = (place: string): readonly string[] =>
  place.endsWith('.test.ts') ? globSync(place) : globSync(`${place}/**/*.test.ts`).toSorted();

export const filesIn = (place: string): readonly string[] =>
  place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.ts`).toSorted();

/**
 * The unit tests that reach a file, in the order in which they are run: those of the file itself, those of its folder,
 * those of what is built from it. A list may be empty.
 */
export function testsOf(file: string, reaching: ReadonlySet<string>): readonly (readonly string[])[] {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const mirror = testsIn(`test/unit/${file.replace(/\.ts$/, '.test.ts')}`);
  const places = Object.keys(FURTHER).filter((place) => `${folder}/`.startsWith(`${place}/`));
  const lists = [
    mirror,
    testsIn(`test/unit/${folder}`),
    places.flatMap((place) => (FURTHER[place] ?? []).flatMap(testsIn)),
  ];
  const taken = new Set<string>();
  return lists
    .map((list) =>
      list.filter((test) => {
        const isNew = reaching.has(test) && !taken.has(test);
        taken.add(test);
        return isNew;
      }),
    )
    .filter((list) => list.length > 0);
}
