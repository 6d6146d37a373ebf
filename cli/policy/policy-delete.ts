import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { EXIT, usage } from '../io/failure.ts';
import { dataText } from '../io/output.ts';
import { ABOUT_NAME, findPolicy, NAMESPACE, policyPath } from './find-policy.ts';
import { policyLine } from './policy-text.ts';

const TIMEOUT_MS = 30_000;

export const policyDeleteVerb: Verb = {
  usage: 'NAME',
  count: [1, 1],
  flags: [
    NAMESPACE,
    { name: 'yes', text: 'delete it; without --yes the command only shows it' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `${ABOUT_NAME}
Runs are no longer decided by it; its versions, decisions and replays stay. It is not deleted when somebody changes it
in the meantime.`,
  examples: ['{orb} policy delete day-budget --yes'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const name = namedObject(args.positionals[0] ?? '', args);
    const server = await findServer(args, io);
    const found = await findPolicy(server, name, io);
    if (found.kind === 'problem') return printProblem(found.status, found.value, server, { format, io });
    const line = policyLine(found.value).trimEnd();
    if (!args.has('yes')) throw usage(`nothing was deleted; it would be ${line}`, '--yes does it');
    const headers = { accept: 'application/json', 'if-match': found.etag ?? '' };
    const request = { method: 'DELETE', path: policyPath(found.place), headers, timeoutMs: TIMEOUT_MS } as const;
    const reply = await fetchReply(server, request, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    const { namespace, name: deleted } = found.place;
    if (format === 'json' || format === 'yaml')
      io.out(await dataText({ policy: `${namespace}/${deleted}`, deleted: true }, format));
    else io.out(`${namespace}/${deleted} deleted\n`);
    return EXIT.ok;
  },
};
