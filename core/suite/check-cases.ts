import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { nearestName } from '../manifest/nearest.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import { checkKeywords } from './check-keywords.ts';
import { casesOf, type Assertion, type CaseMode, type MockResponse, type Suite, type SuiteCase } from './suite.ts';

/** The parts of an Orb that its suites name. */
export type TestedOrb = Pick<CompiledOrb, 'orbId' | 'manifest' | 'providers' | 'checkInputs'>;

const fault = (pointer: string, detail: string, suggestion?: string): Finding => ({
  code: 'suite-invalid',
  pointer,
  detail,
  severity: 'error',
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** Among more names no near one is searched: a hostile suite may have thousands of unknown names. */
const MAX_KNOWN = 32;

function ofName(what: string, name: string, known: ReadonlySet<string>, pointer: string): readonly Finding[] {
  if (known.has(name)) return [];
  const isShort = known.size <= MAX_KNOWN;
  const has = isShort ? ` It has ${[...known].join(', ') || 'none'}.` : '';
  return [fault(pointer, `The Orb has no such ${what}.${has}`, isShort ? nearestName(name, [...known]) : undefined)];
}

function* ofAssertions(assertions: Readonly<Record<string, Assertion>>, pointer: string): Generator<Finding> {
  for (const [name, assertion] of Object.entries(assertions))
    if ('schema' in assertion) yield* checkKeywords(assertion.schema, `${childPointer(pointer, name)}/schema`);
}

function ofResponse(response: MockResponse, providers: ReadonlySet<string>, pointer: string): readonly Finding[] {
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
function ofMode(item: SuiteCase, mode: CaseMode, pointer: string): readonly Finding[] {
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

function ofInputs({ inputs }: SuiteCase, { manifest, checkInputs }: TestedOrb, pointer: string): readonly Finding[] {
  const known = new Set(Object.keys(manifest.inputs));
  const unknown = Object.keys(inputs).find((name) => !known.has(name));
  if (unknown !== undefined) return ofName('input', unknown, known, childPointer(`${pointer}/inputs`, unknown));
  return checkInputs(inputs).findings.map((found) => fault(`${pointer}${found.pointer}`, found.detail));
}

/** The names that a suite may use. */
interface Names {
  readonly providers: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
}

function* ofExpectation({ expect }: SuiteCase, names: Names, pointer: string): Generator<Finding> {
  const { outputs = {}, request, active_provider: active } = expect;
  for (const name of Object.keys(outputs))
    yield* ofName('output', name, names.outputs, childPointer(`${pointer}/outputs`, name));
  yield* ofAssertions(outputs, `${pointer}/outputs`);
  yield* ofAssertions(request?.headers ?? {}, `${pointer}/request/headers`);
  if (active !== undefined) yield* ofName('provider', active, names.providers, `${pointer}/active_provider`);
}

/** Findings one by one: whoever reads them stops when there are enough. */
function* ofSuite(suite: Suite, orb: TestedOrb, pointer: string): Generator<Finding> {
  const [name = ''] = orb.orbId.split('@');
  const names = { providers: new Set(orb.providers.keys()), outputs: new Set(Object.keys(orb.manifest.outputs)) };
  if (suite.orb !== name) yield fault(`${pointer}/orb`, `The suite is for another Orb than ${name}.`);
  const filled = casesOf([suite]);
  const seen = new Set<string>();
  for (const [index, item] of suite.cases.entries()) {
    const at = `${pointer}/cases/${index}`;
    if (seen.has(item.id)) yield fault(`${at}/id`, 'Another case of this suite has the same id.');
    seen.add(item.id);
    yield* ofInputs(item, orb, at);
    yield* ofMode(item, filled[index]?.mode ?? 'mock', at);
    for (const [place, response] of (item.responses ?? []).entries())
      yield* ofResponse(response, names.providers, `${at}/responses/${place}`);
    yield* ofExpectation(item, names, `${at}/expect`);
  }
}

/**
 * Rules of one suite that its schema can't say: names of the Orb, modes, unique ids.
 * @param pointer where the suite stands: findings begin with it
 * @returns at most `most` findings
 */
export function checkCases(suite: Suite, orb: TestedOrb, pointer: string, most: number): readonly Finding[] {
  const found: Finding[] = [];
  for (const finding of ofSuite(suite, orb, pointer)) {
    found.push(finding);
    if (found.length >= most) break;
  }
  return found;
}
