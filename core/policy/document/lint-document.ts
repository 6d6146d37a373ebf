import type { PolicyRule } from '../../../crds/orbpolicy.ts';
import { childPointer } from '../../manifest/child-pointer.ts';
import type { Finding } from '../../manifest/finding.ts';
import { obligationFault } from '../decision/obligations.ts';
import type { PolicyLintCode } from '../language/lint-codes.ts';
import type { PolicyDefinition } from './definition.ts';
import { exceptionState, MAX_EXCEPTION_DAYS } from './exceptions.ts';

const finding = (severity: 'error' | 'warning', code: PolicyLintCode, pointer: string, detail: string): Finding => ({
  severity,
  code,
  pointer,
  detail,
});

function sameNames(list: string, named: readonly { readonly name: string }[]): readonly Finding[] {
  const names = named.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [finding('error', 'duplicate-name', `/spec/${list}/${index}/name`, `${name} is there twice: rename one`)],
  );
}

function obligationFindings(rule: PolicyRule, index: number, { phases }: PolicyDefinition): readonly Finding[] {
  const { effect, name, obligations = [] } = rule;
  const pointer = `/spec/rules/${index}/obligations`;
  if (effect === 'deny' && obligations.length > 0)
    return [finding('error', 'bad-obligation', pointer, `rule ${name} denies: a denied run has no obligations`)];
  if (effect === 'require' && obligations.length === 0)
    return [finding('error', 'bad-obligation', pointer, `rule ${name} requires nothing: write obligations`)];
  return obligations.flatMap((obligation, at) => {
    const fault = obligationFault(obligation, phases);
    return fault === undefined ? [] : [finding('error', fault.code, childPointer(pointer, at), fault.detail)];
  });
}

function exceptionFindings({ spec }: PolicyDefinition, now: number): readonly Finding[] {
  return spec.exceptions.flatMap(({ rule, until }, index) => {
    const pointer = `/spec/exceptions/${index}`;
    const isDenyRule = spec.rules.some(({ name, effect }) => name === rule && effect === 'deny');
    if (!isDenyRule)
      return [finding('error', 'unknown-rule', `${pointer}/rule`, `${rule} is no deny rule of this policy: name one`)];
    const state = exceptionState(until, now);
    if (state === 'valid') return [];
    return state === 'expired'
      ? [finding('warning', 'exception-expired', `${pointer}/until`, `${until} is past: take the exception away`)]
      : [
          finding(
            'error',
            'exception-too-long',
            `${pointer}/until`,
            `${until} is more than ${MAX_EXCEPTION_DAYS} days ahead: write an earlier time`,
          ),
        ];
  });
}

const isFilled = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;

/** Parts of `match` that somebody with role `edit` can step out of, and how. */
function escapes({ spec: { match } }: PolicyDefinition): readonly (readonly [string, string])[] {
  const { orbs = {}, orbisets = {}, callers = {} } = match;
  const selects = Object.keys(orbs.selector?.matchLabels ?? {}).length > 0;
  const ways: readonly (readonly [boolean, string, string])[] = [
    [isFilled(orbs.ids), '/orbs/ids', 'gives the Orb another orb_id'],
    [selects, '/orbs/selector', 'changes labels of the Orb'],
    [isFilled(orbisets.names), '/orbisets', 'makes another Orbiset'],
    [isFilled(callers.kinds) || isFilled(callers.ids), '/callers', 'calls as another caller'],
    [isFilled(callers.scopes), '/callers/scopes', 'calls with other scopes'],
  ];
  return ways.filter(([applies]) => applies).map(([, pointer, way]) => [pointer, way]);
}

const LABEL_FACT = /\b(?:orb|orbiset)\s*\.\s*labels\b/;

/** Who can leave the policy: the lint that says so (policy.md §1.3). */
function writableFindings(definition: PolicyDefinition): readonly Finding[] {
  const ways = escapes(definition).map(([pointer, way]) =>
    finding(
      'warning',
      'match-is-writable',
      `/spec/match${pointer}`,
      `whoever has role edit ${way}, and the policy does not apply: a policy for everybody has an empty match`,
    ),
  );
  const { rules, variables } = definition.spec;
  const texts = [
    ...rules.map(({ when }, index) => [`/spec/rules/${index}/when`, when] as const),
    ...variables.map(({ expression }, index) => [`/spec/variables/${index}/expression`, expression] as const),
  ];
  const labels = texts.filter(([, text]) => LABEL_FACT.test(text));
  return [
    ...ways,
    ...labels.map(([pointer]) =>
      finding(
        'warning',
        'match-is-writable',
        pointer,
        'whoever has role edit writes labels: take another fact to hold them',
      ),
    ),
  ];
}

/**
 * Findings about a policy beside its expressions. Never throws.
 * @param now ms since the epoch; exceptions are judged by it
 */
export function lintDocument(definition: PolicyDefinition, now: number): readonly Finding[] {
  const { rules, variables, tests } = definition.spec;
  return [
    ...sameNames('rules', rules),
    ...sameNames('variables', variables),
    ...sameNames('tests', tests),
    ...rules.flatMap((rule, index) => obligationFindings(rule, index, definition)),
    ...exceptionFindings(definition, now),
    ...writableFindings(definition),
  ];
}
