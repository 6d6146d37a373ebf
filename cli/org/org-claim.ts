import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, jsonText, printable, table, textAt, type Format } from '../io/output.ts';
import { claimRequest, DOMAIN, domainOf, NAMESPACE } from './claim-request.ts';
import { makeOrgKey, readOrgKey, type OrgKey } from './org-key.ts';

/** The key that the flags name; undefined: they name none. @throws Failure */
async function keyOf(args: Args, io: Io): Promise<OrgKey | undefined> {
  const [made, given] = [args.one('new-key'), args.one('key')];
  if (made !== undefined && given !== undefined) throw usage('--new-key or --key, not both');
  if (made !== undefined) return makeOrgKey(made, io);
  return given === undefined ? undefined : readOrgKey(given, io);
}

const recordOf = (org: string, key: string): string => `v=ORBv1; org=${org}; k=ed25519; p=${key}`;

interface Shown {
  readonly domain: string;
  readonly record: string;
  readonly signature: string | undefined;
  readonly keyFile: string | undefined;
}

function nextLine(args: Args, { domain, keyFile }: Shown, io: Io): string {
  const org = printable(args.positionals[0] ?? '');
  const how =
    keyFile === undefined ? '--signature BASE64' : `--domain ${printable(domain)} --key ${printable(keyFile)}`;
  return `when the record is published: ${io.program} org verify ${org} ${how}\n`;
}

/** A member that the API always sends as text. */
function stringAt(value: JsonObject, name: string): string {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
}

async function answerText(value: JsonObject, { domain, record, signature }: Shown, format: Format): Promise<string> {
  if (format === 'json' || format === 'yaml')
    return dataText({ ...value, txt_name: domain, txt_record: record, signature: signature ?? null }, format);
  return table([
    ['TXT record at', printable(domain)],
    ['  value', record],
    // As JSON: its line feeds are part of what is signed.
    ['text to sign', jsonText(stringAt(value, 'sign'), 0)],
    ...(signature === undefined ? [] : [['signature', signature]]),
    ['until', textAt(value, 'expires_at')],
  ]);
}

export const orgClaimVerb: Verb = {
  usage: 'ORG',
  count: [1, 1],
  flags: [
    DOMAIN,
    { name: 'new-key', value: 'FILE', text: 'make an Ed25519 key, and write its private half here' },
    { name: 'key', value: 'FILE', text: 'the Ed25519 key in PEM that signs the challenge' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about:
    'Prints the TXT record to publish at the apex of the domain, and the text that its key has to sign within 24 hours. acme.com proves acme and acme-com.',
  examples: [
    '{orb} org claim acme --domain acme.com --new-key acme.pem',
    '{orb} org claim acme --domain acme.com --key acme.pem',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const domain = domainOf(args);
    const key = await keyOf(args, io);
    const server = await findServer(args, io);
    const reply = await fetchReply(server, claimRequest(args, domain), io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    const shown: Shown = {
      domain,
      record: recordOf(textAt(reply.value, 'org'), key?.publicKey ?? '<base64 of the Ed25519 public key>'),
      signature: key?.sign(stringAt(reply.value, 'sign')),
      keyFile: args.one('new-key') ?? args.one('key'),
    };
    io.out(await answerText(reply.value, shown, format));
    if (format === 'text') io.err(nextLine(args, shown, io));
    return EXIT.ok;
  },
};
