import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { nearestName } from '../manifest/nearest.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import { checkKeywords } from './check-keywords.ts';
import { casesOf, type Assertion, type MockResponse, type Suite, type SuiteCase, type TestCase } from './suite.ts';

/** The parts of an Orb that its suites name. */
export type TestedOrb = Pick<CompiledOrb, 'orbId' | 'manifest' | 'providers' | 'checkInputs'>;

const fault = (pointer: string, detail: string, suggestion?: string): Finding => ({
  code: 'suite-invalid',
  pointer,
  detail,
  severity: 'error',
  ...(suggestion === undefined ? {} : { suggestion }),
});

const ofName = (what: string, name: string, known: readonly string[], pointer: string): readonly Finding[] =>
  known.includes(name)
    ? []
    : [fault(pointer, `The Orb has no such ${what}; it has ${known.join(', ') || 'none'}.`, nearestName(name, known))];

const ofAssertions = (assertions: Readonly<Record<string, Assertion>>, pointer: string): readonly Finding[] =>
  Object.entries(assertions).flatMap(([name, assertion]) =>
    'schema' in assertion ? checkKeywords(assertion.schema, `${childPointer(pointer, name)}/schema`) : [],
  );

function ofResponse(response: MockResponse, providers: readonly string[], pointer: string): readonly Finding[] {
  const both = (response.status === undefined) === (response.error === undefined);
  const hasContent = response.headers !== undefined || response.body !== undefined;
  return [
    ...ofName('provider', response.provider, providers, `${pointer}/provider`),
    ...(both ? [fault(pointer, 'A response has either a status or an error.')] : []),
    ...(response.error !== undefined && hasContent ? [fault(pointer, 'An error has neither headers nor a body.')] : []),
  ];
}

const LIVE_ONLY_MOCK = ['responses', 'secrets'] as const;

/** A live case calls the real provider: nothing is simulated, and its request is not seen here. */
function ofMode(item: SuiteCase, { mode }: TestCase, pointer: string): readonly Finding[] {
  if (mode === 'mock')
    return item.responses === undefined
      ? [fault(`${pointer}/responses`, 'A mock case has at least one response.')]
      : [];
  const simulated = LIVE_ONLY_MOCK.filter((name) => item[name] !== undefined);
  return [
    ...simulated.map((name) => fault(`${pointer}/${name}`, 'Only a mock case has this member.')),
    ...(item.expect.request === undefined
      ? []
      : [fault(`${pointer}/expect/request`, 'Only a mock case compares its request.')]),
  ];
}

function ofCase(item: SuiteCase, filled: TestCase, orb: TestedOrb, pointer: string): readonly Finding[] {
  const { outputs = {}, request, active_provider: active } = item.expect;
  const providers = [...orb.providers.keys()];
  const names = Object.keys(orb.manifest.outputs);
  const inputs = orb.checkInputs(item.inputs);
  return [
    ...inputs.findings.map((found) => fault(`${pointer}${found.pointer}`, found.detail, found.suggestion)),
    ...ofMode(item, filled, pointer),
    ...(item.responses ?? []).flatMap((response, index) =>
      ofResponse(response, providers, `${pointer}/responses/${index}`),
    ),
    ...Object.keys(outputs).flatMap((name) =>
      ofName('output', name, names, childPointer(`${pointer}/expect/outputs`, name)),
    ),
    ...ofAssertions(outputs, `${pointer}/expect/outputs`),
    ...ofAssertions(request?.headers ?? {}, `${pointer}/expect/request/headers`),
    ...(active === undefined ? [] : ofName('provider', active, providers, `${pointer}/expect/active_provider`)),
  ];
}

const duplicates = (names: readonly string[]): readonly number[] =>
  names.flatMap((name, index) => (names.indexOf(name) === index ? [] : [index]));

/** Rules of one suite that its schema can't say: names of the Orb, modes, unique ids. Pointers begin with `pointer`. */
export function checkCases(suite: Suite, orb: TestedOrb, pointer: string): readonly Finding[] {
  const [name] = orb.orbId.split('@');
  const filled = casesOf([suite]);
  return [
    ...(suite.orb === name ? [] : [fault(`${pointer}/orb`, `The suite is for another Orb than ${name}.`)]),
    ...duplicates(suite.cases.map(({ id }) => id)).map((index) =>
      fault(`${pointer}/cases/${index}/id`, 'Another case of this suite has the same id.'),
    ),
    ...suite.cases.flatMap((item, index) => {
      const whole = filled[index];
      return whole === undefined ? [] : ofCase(item, whole, orb, `${pointer}/cases/${index}`);
    }),
  ];
}
