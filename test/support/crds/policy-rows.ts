import type { EdgeRow } from './edge-rows.ts';

const policy = (spec: string, name = 'a'): string =>
  `{"apiVersion":"orbs.dev/v1alpha1","kind":"OrbPolicy","metadata":{"name":"${name}"},"spec":${spec}}`;
const rule = (name: string): string => `{"name":"${name}","effect":"deny","when":"true"}`;
/** OrbPolicies at the edges of what is valid. */
export const POLICY_ROWS: readonly EdgeRow[] = [
  ['a policy without rules', policy('{}'), 'both'],
  ['a policy with a dot in its name', policy('{}', 'a.b'), 'nobody'],
  ['a policy whose name has 63 characters', policy('{}', 'a'.repeat(63)), 'both'],
  ['a policy whose name has 64 characters', policy('{}', 'a'.repeat(64)), 'nobody'],
  ['two rules of one name', policy(`{"rules":[${rule('a')},${rule('a')}]}`), 'nobody'],
  ['a rule without an effect', policy('{"rules":[{"name":"a","when":"true"}]}'), 'nobody'],
  ['a policy that does not compile', policy('{"rules":[{"name":"a","effect":"deny","when":"orb.scor"}]}'), 'both'],
  [
    '33 rules',
    policy(`{"rules":[${Array.from({ length: 33 }, (_, index) => rule(`r${index}`)).join(',')}]}`),
    'nobody',
  ],
];
