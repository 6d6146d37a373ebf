import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXAMPLE_ID, incidentPath } from './incident-acts.ts';
import { incidentText } from './incident-text.ts';

export const incidentsGetVerb: Verb = {
  usage: 'INCIDENT_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'The history is shown oldest first: what signals did, what time did, and what people said.',
  examples: [`{orb} incidents get ${EXAMPLE_ID}`],
  run: async (args, io) => printAnswer(args, io, { method: 'GET', path: incidentPath(args), textOf: incidentText }),
};
