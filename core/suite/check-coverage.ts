import type { Finding } from '../manifest/finding.ts';
import type { Manifest } from '../../crds/manifest.ts';
import { MAX_CASES, MAX_SUITES } from './suite-schema.ts';
import { casesOf, type Suite, type TestCase } from './suite.ts';

type Members = Pick<Manifest, 'inputs' | 'outputs'>;

const isFailure = ({ expect: { status, outcome = 'success' } }: TestCase): boolean =>
  status !== 'completed' || outcome !== 'success';

const list = (names: readonly string[]): string => names.join(', ');

function ofOutputs({ outputs }: Members, cases: readonly TestCase[], pointer: string): readonly Finding[] {
  const asserted = new Set(
    cases.flatMap(({ required, expect }) => (required ? Object.keys(expect.outputs ?? {}) : [])),
  );
  const missing = Object.keys(outputs).filter((name) => !asserted.has(name));
  if (missing.length === 0) return [];
  const detail = `No required case says what these outputs are: ${list(missing)}. Add them to expect.outputs.`;
  return [{ code: 'suite-output-not-asserted', pointer, detail, severity: 'error' }];
}

function ofInputs({ inputs }: Members, cases: readonly TestCase[], pointer: string): readonly Finding[] {
  const given = new Set(cases.flatMap((item) => Object.keys(item.inputs)));
  const missing = Object.keys(inputs).filter((name) => !given.has(name));
  if (missing.length === 0) return [];
  const detail = `No case gives these inputs: ${list(missing)}.`;
  return [{ code: 'suite-input-not-exercised', pointer, detail, severity: 'warning' }];
}

/** Rules about all suites of an Orb together: unique names, at most 64 suites and 200 cases. */
function ofSet(suites: readonly Suite[], pointer: string): readonly Finding[] {
  const names = suites.map(({ name }) => name);
  const invalid = (detail: string): Finding => ({ code: 'suite-invalid', pointer, detail, severity: 'error' });
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const cases = suites.reduce((sum, suite) => sum + suite.cases.length, 0);
  return [
    ...(suites.length > MAX_SUITES ? [invalid(`An Orb has at most ${MAX_SUITES} suites.`)] : []),
    ...(cases > MAX_CASES ? [invalid(`An Orb has at most ${MAX_CASES} cases; these are ${cases}.`)] : []),
    ...(twice.length > 0 ? [invalid(`Two suites have the same name: ${list([...new Set(twice)])}.`)] : []),
  ];
}

/**
 * What the suites of an Orb leave out (trust.md §8.3): `suite-output-not-asserted` (error), and the warnings
 * `suite-input-not-exercised`, `suite-no-failure-case` and `suite-no-live-case`. Also `suite-invalid` for names that
 * are not unique, and for too many suites or cases.
 * @param pointer where the list of suites stands
 */
export function checkCoverage(suites: readonly Suite[], manifest: Members, pointer: string): readonly Finding[] {
  const cases = casesOf(suites);
  const advice = (code: string, detail: string): Finding => ({ code, pointer, detail, severity: 'warning' });
  return [
    ...ofSet(suites, pointer),
    ...ofOutputs(manifest, cases, pointer),
    ...ofInputs(manifest, cases, pointer),
    ...(cases.some(isFailure)
      ? []
      : [
          advice(
            'suite-no-failure-case',
            'No case expects a failure; add one, for example a provider that answers 503.',
          ),
        ]),
    ...(cases.some(({ mode }) => mode === 'live')
      ? []
      : [advice('suite-no-live-case', 'No case calls the real provider; add one with "mode": "live".')]),
  ];
}
