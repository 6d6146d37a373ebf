import type { Args } from '../../adapters/process/arguments.ts';
import { member } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { namespaceQuery } from '../api/print-answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, Failure, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt, type Format } from '../io/output.ts';
import { claimRequest, DOMAIN, domainOf, NAMESPACE, orgPath, TIMEOUT_MS } from './claim-request.ts';
import { readOrgKey } from './org-key.ts';

interface Call {
  readonly args: Args;
  readonly server: Server;
  readonly format: Format;
  readonly io: Io;
}

/** Gets a new challenge and signs it: between the two nobody else can ask for one. */
async function signed({ args, server, format, io }: Call, file: string): Promise<string | Exit> {
  const domain = domainOf(args);
  const key = await readOrgKey(file, io);
  const reply = await fetchReply(server, claimRequest(args, domain), io);
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
  const text = member(reply.value, 'sign');
  if (typeof text !== 'string') throw new Failure(EXIT.unreachable, `${server.base.origin} sent no challenge`);
  return key.sign(text);
}

async function verify({ args, server, format, io }: Call, signature: string | undefined): Promise<Exit> {
  const request = {
    method: 'POST',
    path: `${orgPath(args, '/verify')}${namespaceQuery(args)}`,
    headers: { accept: 'application/json' },
    body: JSON.stringify(signature === undefined ? {} : { signature }),
    timeoutMs: TIMEOUT_MS,
  } as const;
  const reply = await fetchReply(server, request, io);
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
  if (format === 'json' || format === 'yaml') io.out(await dataText(reply.value, format));
  else io.out(`${textAt(reply.value, 'org')} is ${textAt(reply.value, 'state')}\n`);
  return EXIT.ok;
}

export const orgVerifyVerb: Verb = {
  usage: 'ORG',
  count: [1, 1],
  flags: [
    DOMAIN,
    { name: 'key', value: 'FILE', text: 'the Ed25519 key in PEM: gets a new challenge for --domain, and signs it' },
    { name: 'signature', value: 'BASE64', text: 'the signature of the text that orb org claim printed' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about:
    'The API looks the TXT record up, and checks that its key signed the challenge; without --key and --signature, that it still holds the key that was proven before. From then on it looks every day; after three failures in a row publishing stops until it is verified again.',
  examples: ['{orb} org verify acme --domain acme.com --key acme.pem', '{orb} org verify acme --signature qpV8…Bw=='],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const [file, given] = [args.one('key'), args.one('signature')];
    if (file !== undefined && given !== undefined) throw usage('--key FILE with --domain, or --signature BASE64');
    const call = { args, format, io, server: await findServer(args, io) };
    const signature = file === undefined ? given : await signed(call, file);
    return typeof signature === 'number' ? signature : verify(call, signature);
  },
};
