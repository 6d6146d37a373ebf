import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { printRemovedPin } from './print-swap.ts';
import { NAMESPACE, providerPath } from './provider-path.ts';

const TIMEOUT_MS = 30_000;

export const pinRemoveVerb: Verb = {
  usage: 'ORB_ID',
  completes: 'orb',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'The active provider stays until the rules choose another. A pin that Git owns comes back with its next sync.',
  examples: ['{orb} pin remove acme.mailer@1.2.0'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const path = providerPath(args, 'pin');
    const server = await findServer(args, io);
    const headers = { accept: 'application/json' };
    const reply = await fetchReply(server, { method: 'DELETE', path, headers, timeoutMs: TIMEOUT_MS }, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    await printRemovedPin(reply.value, format, io);
    return EXIT.ok;
  },
};
