import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { timeOf } from '../args/time-flag.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { textAt } from '../io/output.ts';

const HEAD = ['DECISION', 'AT', 'ORB', 'CALLER', 'DECIDED', 'SHADOW', 'BY'];

/** The rule that denied, else the first that matched. */
function ruleText(item: JsonValue): string {
  const first = listAt(item, 'denials')[0] ?? listAt(item, 'rules')[0];
  if (first === undefined) return '';
  const policy = textAt(first, 'policy');
  return `${policy === '' ? '' : `${policy}/`}${textAt(first, 'rule')}`;
}

function rowOf(item: JsonValue): readonly string[] {
  const shadow = objectAt(item, 'shadow');
  return [
    ...['decision_id', 'at', 'orb_id', 'caller', 'decision'].map((name) => textAt(item, name)),
    member(shadow, 'differs') === true ? textAt(shadow, 'decision') : '',
    ruleText(item),
  ];
}

/** `NAME` of `--namespace`, or `NAMESPACE/NAME`, as the API takes it. */
function policyOf(policy: string | undefined, namespace: string | undefined): string | undefined {
  if (policy === undefined || policy.includes('/')) return policy;
  if (namespace === undefined) throw usage('--policy NAMESPACE/NAME, or NAME with --namespace');
  return `${namespace}/${policy}`;
}

export const decisionsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'policy', value: 'NAMESPACE/NAME', text: 'in which a rule of this policy matched or failed' },
    { name: 'decision', value: 'DECISION', text: 'allow or deny', values: ['allow', 'deny'] },
    {
      name: 'shadow',
      value: 'DECISION',
      text: 'what all policies together would decide, audited ones too',
      values: ['would_allow', 'would_deny'],
    },
    { name: 'shadow-differs', text: 'only those where that is something else than what was decided' },
    { name: 'orb', value: 'ORB_ID', text: 'of this Orb' },
    { name: 'since', value: 'TIME', text: 'at this time or later: a time, or 2h for two hours ago' },
    { name: 'until', value: 'TIME', text: 'before this time' },
    { name: 'limit', value: 'N', text: 'decisions on a page, 1 to 200 (50)' },
    { name: 'cursor', value: 'CURSOR', text: 'the next page' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: 'Newest first. SHADOW is shown where the audited policies would have decided otherwise.',
  examples: [
    '{orb} decisions list --decision deny --since 24h',
    '{orb} decisions list --policy acme/day-budget --shadow would_deny --limit 10',
  ],
  run: async (args, io) => {
    const now = io.clock.now();
    return printPage(args, io, {
      path: 'decisions',
      query: {
        policy: policyOf(args.one('policy'), args.one('namespace')),
        decision: args.one('decision'),
        shadow: args.one('shadow'),
        shadow_differs: args.has('shadow-differs') ? 'true' : undefined,
        orb_id: args.one('orb'),
        since: timeOf(args, 'since', now),
        until: timeOf(args, 'until', now),
        limit: args.one('limit'),
        cursor: args.one('cursor'),
        namespace: args.one('namespace'),
      },
      head: HEAD,
      rowOf,
      nameOf: (item) => textAt(item, 'decision_id'),
    });
  },
};
