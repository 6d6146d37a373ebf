import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText } from '../io/output.ts';
import { platformStatus } from '../platform/platform-status.ts';
import { explainStatus } from './explain-status.ts';
import { NAMESPACE, providerPath } from './provider-path.ts';

const TIMEOUT_MS = 30_000;

export const statusVerb: Verb = {
  usage: '[ORB_ID]',
  count: [0, 1],
  completes: 'orb',
  flags: [
    NAMESPACE,
    ...SERVER_FLAGS,
    { ...OUTPUT, text: 'wide, or for machines json or yaml', values: ['wide', 'json', 'yaml'] },
  ],
  about:
    'In the table, * marks the active provider and ! a provider without an execution. Without an Orb it shows what works of the platform, and ends with 1 when something critical does not, or when nobody knows.',
  examples: ['{orb} status', '{orb} status acme.mailer@1.2.0', '{orb} status acme.mailer@1.2.0 -o wide'],
  run: async (args, io) => {
    if (args.positionals.length === 0) return platformStatus(args, io);
    const format = formatOf(args, ['text', 'wide', 'json', 'yaml']);
    const path = providerPath(args, 'status');
    const server = await findServer(args, io);
    const headers = { accept: 'application/json' };
    const reply = await fetchReply(server, { method: 'GET', path, headers, timeoutMs: TIMEOUT_MS }, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    if (format === 'json' || format === 'yaml') io.out(await dataText(reply.value, format));
    else io.out(explainStatus(reply.value, io.program, format === 'wide'));
    return EXIT.ok;
  },
};
