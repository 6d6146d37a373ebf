interface LintCode {
  /** An error keeps a version from force, a warning is shown. */
  readonly level: 'error' | 'warning';
  /** What is wrong, and what to write; for the reference. */
  readonly doc: string;
}

/** Codes of findings about policies (policy.md §1.3). They are public: a code never gets another meaning. */
export const LINT_CODES = {
  'parse-error': { level: 'error', doc: 'This is no CEL. Correct the expression at its line and column.' },
  'type-error': {
    level: 'error',
    doc: 'Types do not fit, a function does not exist, or a value of a test is not of the type of its fact.',
  },
  'not-boolean': { level: 'error', doc: 'The condition of a rule is not true or false. Write a comparison.' },
  'unknown-fact': { level: 'error', doc: 'No fact has this name. The finding names the nearest one.' },
  'wrong-phase': {
    level: 'error',
    doc: 'A phase in `match.phases` does not have this fact yet. Match later phases alone, or take another fact.',
  },
  'too-expensive': {
    level: 'error',
    doc: 'An expression may take 10 000 units, all of a phase 50 000. Use fewer or smaller lists, or divide the policy.',
  },
  'too-deep': { level: 'error', doc: 'Brackets nest more than 24 deep, or more than two macros nest.' },
  'too-large': {
    level: 'error',
    doc: 'An expression has more than 4 KiB or 256 parts, or makes a value of more than 1 MiB. Use variables.',
  },
  'regex-not-literal': {
    level: 'error',
    doc: 'The pattern of `matches` is not a string. Write it out: it is compiled with the policy.',
  },
  'bad-regex': { level: 'error', doc: 'The pattern is not RE2, which has no look-around and no back-references.' },
  'unknown-obligation': { level: 'error', doc: 'There is no such obligation. Take one of the list.' },
  'bad-obligation': {
    level: 'error',
    doc: 'An obligation lacks its parameters or has others, or its effect or phase can not keep it.',
  },
  'duplicate-name': { level: 'error', doc: 'Two rules, variables or tests have one name. Rename one.' },
  'unknown-rule': { level: 'error', doc: 'An exception names no deny rule of this policy.' },
  'exception-too-long': { level: 'error', doc: 'An exception ends more than 90 days ahead. Write an earlier time.' },
  'exception-expired': { level: 'warning', doc: 'An exception is past and has no effect. Take it away.' },
  'needs-has': {
    level: 'warning',
    doc: 'This fact may be absent, and then the rule fails. Write `has(FACT) && …` before it.',
  },
  'always-true': { level: 'warning', doc: 'The condition is true for every run.' },
  'always-false': { level: 'warning', doc: 'The condition is never true. Take the rule away, or correct it.' },
  shadowed: { level: 'warning', doc: 'An earlier deny rule is true whenever this one is. Take this one away.' },
  unreachable: { level: 'warning', doc: 'A deny rule is true whenever this one is, so this one changes nothing.' },
  'match-is-writable': {
    level: 'warning',
    doc: 'Whoever has role `edit` can leave the policy, as the finding says. An empty `match` holds for everybody.',
  },
  'counts-from-now': {
    level: 'warning',
    doc: 'This fact counts runs. Counting begins with the first policy of the namespace, so the first day counts less.',
  },
} as const satisfies Readonly<Record<string, LintCode>>;

/** Code of a finding about a policy whose document passed the schema. */
export type PolicyLintCode = keyof typeof LINT_CODES;
