import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { decisionPath } from './decision-path.ts';

const approvalText = (value: JsonObject): string =>
  listAt(value, 'grants')
    .map(
      (grant) =>
        `approved by ${textAt(grant, 'scope')} until ${textAt(grant, 'expires_at')}: ${textAt(grant, 'grant_id')}\n`,
    )
    .join('');

export const decisionsApproveVerb: Verb = {
  usage: 'DECISION_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: `Approves one run that a policy holds back (obligation requireApproval). The caller then sends it again within 15
minutes, with the same inputs and, if it sends one, another idempotency key. Needs the scope policies:approve and the
scope that the policy names; nobody approves a run of its own.`,
  examples: ['{orb} decisions approve dec_01a1f866-0dfa-7001-8000-000000001eef'],
  run: async (args, io) =>
    printAnswer(args, io, { method: 'POST', path: decisionPath(args, '/approve'), textOf: approvalText }),
};
