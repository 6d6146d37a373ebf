import { namespaceQuery, printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { NAMESPACE } from '../providers/provider-path.ts';
import { orbText } from './orb-text.ts';

export const orbsShowVerb: Verb = {
  usage: 'ORB_ID',
  count: [1, 1],
  completes: 'orb',
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'Its inputs and outputs, whether a run may start, and for each missing secret the line that stores it.',
  examples: ['{orb} show acme.mailer@1.2.0'],
  run: async (args, io) =>
    printAnswer(args, io, {
      method: 'GET',
      path: `orbs/${encodeURIComponent(orbIdOf(args.positionals[0] ?? ''))}${namespaceQuery(args)}`,
      textOf: (item) => orbText(item, io.program),
    }),
};
