import { globSync } from 'node:fs';

/** Tests of a folder that stand elsewhere: the unit tests of what is built from it. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  'adapters/api-keys': ['test/unit/api-server/http/server.test.ts'],
  'adapters/egress': ['test/unit/core/manifest-rules'],
  'api-server/ingestion': ['test/unit/api-server/services/ingestion'],
  'api-server/run': ['test/unit/api-server/services/execute'],
  'api-server/vault': ['test/unit/api-server/feeds'],
  'core/api-key': ['test/unit/adapters/api-keys'],
  'core/egress': ['test/unit/core/run', 'test/unit/core/orb/lint-hosts.test.ts'],
  'core/ingestion/verification': ['test/unit/api-server/ingestion'],
  'core/orbiset': ['test/unit/operator/kinds/role-binding', 'test/unit/operator/kinds/orbiset'],
  'core/policy/decision': ['test/unit/api-server/policy', 'test/unit/api-server/run'],
  'core/receipt': ['test/unit/core/verify', 'test/unit/api-server/run'],
  'core/redaction': ['test/unit/adapters/telemetry'],
  'core/reputation': ['test/unit/api-server/reputation'],
  'core/template': ['test/unit/core/run', 'test/unit/core/orb'],
  'core/verify': ['test/unit/cli/verify', 'test/unit/cli/receipts'],
  'operator/kinds/role-binding': ['test/unit/core/orbiset', 'test/unit/operator/kinds/orbiset'],
};

const testsIn = (place: string): readonly string[] =>
  place.endsWith('.test.ts') ? [place] : globSync(`${place}/**/*.test.ts`).toSorted();

/** The unit tests that mirror a folder, and further ones that run its code; the second list may be empty. */
export function testsOf(folder: string): { readonly own: readonly string[]; readonly further: readonly string[] } {
  const own = testsIn(`test/unit/${folder}`);
  return { own, further: (FURTHER[folder] ?? []).flatMap(testsIn).filter((file) => !own.includes(file)) };
}
