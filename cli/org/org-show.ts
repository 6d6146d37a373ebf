import type { JsonObject } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { table, textAt } from '../io/output.ts';
import { orgPath } from './claim-request.ts';

/** `dns of acme.com`: several domains may prove one name. */
const proofText = (org: JsonObject): string =>
  textAt(org, 'proof') + (typeof member(org, 'domain') === 'string' ? ` of ${textAt(org, 'domain')}` : '');

const orgText = (org: JsonObject): string =>
  table([
    ['organisation', textAt(org, 'org')],
    ['state', `${textAt(org, 'state')} since ${textAt(org, 'since')}`],
    ['proof', proofText(org)],
    ['published', `${textAt(org, 'published')} versions`],
  ]);

export const orgShowVerb: Verb = {
  usage: 'ORG',
  count: [1, 1],
  flags: [...SERVER_FLAGS, OUTPUT],
  examples: ['{orb} org show acme'],
  run: async (args, io) => printAnswer(args, io, { method: 'GET', path: orgPath(args), textOf: orgText }),
};
