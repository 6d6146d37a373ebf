import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { NAMESPACE } from './find-policy.ts';
import { idOfPolicy, POLICY_HEAD, policyRow } from './policy-text.ts';

export const policyListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'mode', value: 'MODE', text: 'with this spec.mode', values: ['Enforce', 'Audit', 'Disabled'] },
    { name: 'limit', value: 'N', text: 'policies on a page, 1 to 200 (50)' },
    { name: 'cursor', value: 'CURSOR', text: 'the next page' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: `MODE is what the policy says, EFFECTIVE what holds: Enforce counts as Audit until the replay gate is met. Policies of
the platform that meet your runs are listed, too.`,
  examples: ['{orb} policy list', '{orb} policy list --mode Enforce -o name'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'policies',
      query: {
        mode: args.one('mode'),
        limit: args.one('limit'),
        cursor: args.one('cursor'),
        namespace: args.one('namespace'),
      },
      head: POLICY_HEAD,
      rowOf: policyRow,
      nameOf: idOfPolicy,
    }),
};
