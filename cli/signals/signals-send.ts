import type { Args } from '../../adapters/process/arguments.ts';
import type { SignedDelivery } from '../../core/ingestion/verification/sign-delivery.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { parseServer } from '../api/address.ts';
import { replyOf } from '../api/answer.ts';
import { call, type Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { namedObject, NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, Failure, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, table, textAt, type Format } from '../io/output.ts';
import { awaitMapping, type Mapped } from './await-mapping.ts';
import { neededSecret, provenSample, SAMPLE, SAMPLE_FLAGS, sampleName, sampleOf } from './sample-delivery.ts';
import { SIGNAL_HEAD, signalRow } from './signal-text.ts';
import { readSource } from './source-name.ts';

const TIMEOUT_MS = 30_000;
/** Never another host: the secret of a path would go there. */
const URL_PATH = /^\/ingest\/src_[0-9a-z]{26}$/;

/** Where the delivery goes. The key of the caller is not sent: a vendor has none. */
function target(server: Server, args: Args): Server {
  const given = args.one('ingest-url');
  return given === undefined
    ? { ...server, key: undefined }
    : { base: parseServer(given, '--ingest-url'), key: undefined };
}

function pathOf(source: JsonObject, { pathToken }: SignedDelivery): string {
  const path = textAt(source, 'url_path');
  if (!URL_PATH.test(path)) throw new Failure(EXIT.unreachable, 'the API gives no path of the source');
  return `${path.slice(1)}${pathToken === undefined ? '' : `/${pathToken}`}`;
}

const acceptedText = (answer: JsonObject): string => {
  const id = textAt(answer, 'delivery_id');
  if (id === '') return 'accepted\n';
  return member(answer, 'duplicate') === true ? `${id} was accepted before\n` : `${id} is accepted\n`;
};

function mappedText(mapped: Mapped): string {
  if (mapped.kind === 'signals') return table([SIGNAL_HEAD, ...mapped.signals.map(signalRow)]);
  if (mapped.kind === 'dead')
    return `dead letter ${textAt(mapped.letter, 'reason')} at ${textAt(mapped.letter, 'pointer') || '(all)'}: ${textAt(mapped.letter, 'detail')}\n`;
  return mapped.kind === 'waiting' ? 'not mapped yet, or nothing of it is new\n' : '';
}

const mappedValue = (mapped: Mapped): JsonObject => {
  const signals: readonly JsonValue[] = mapped.kind === 'signals' ? mapped.signals : [];
  return { signals, dead_letter: mapped.kind === 'dead' ? mapped.letter : null };
};

const exitOf = ({ kind }: Mapped): Exit => {
  if (kind === 'dead') return EXIT.negative;
  return kind === 'waiting' ? EXIT.unreachable : EXIT.ok;
};

interface Shown {
  readonly server: Server;
  readonly source: JsonObject;
  readonly format: Format;
  readonly io: Io;
}

async function showAccepted(answer: JsonObject, { source, server, format, io }: Shown, waits: boolean): Promise<Exit> {
  const id = textAt(answer, 'delivery_id');
  const where = { deliveryId: id, namespace: textAt(source, 'namespace') };
  const mapped = waits && id !== '' ? await awaitMapping(server, where, io) : undefined;
  if (mapped?.kind === 'problem') {
    io.err(acceptedText(answer));
    return printProblem(mapped.status, mapped.value, server, { format, io });
  }
  if (format === 'json' || format === 'yaml')
    io.out(await dataText(mapped === undefined ? answer : { ...answer, ...mappedValue(mapped) }, format));
  else io.out(`${acceptedText(answer)}${mapped === undefined ? '' : mappedText(mapped)}`);
  return mapped === undefined ? EXIT.ok : exitOf(mapped);
}

/** Sends a sample as its vendor would. */
async function send(args: Args, io: Io): Promise<Exit> {
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const name = namedObject(args.positionals[0] ?? '', args);
  const secret = await neededSecret(args, io);
  const server = await findServer(args, io);
  const source = await readSource(server, name, io);
  if (source.kind === 'problem') return printProblem(source.status, source.value, server, { format, io });
  const sample = sampleOf(sampleName(args, textAt(source.value, 'type')), args, io);
  const delivery = provenSample(sample, secret, args, io);
  const vendorSide = target(server, args);
  const headers = { ...delivery.headers, 'content-type': sample.mediaType, accept: 'application/json' };
  const path = pathOf(source.value, delivery);
  const request = { method: 'POST', path, headers, body: delivery.body, timeoutMs: TIMEOUT_MS } as const;
  const reply = replyOf(vendorSide, await call(vendorSide, request, io.signal));
  // A hint about an API key would mislead: the delivery was sent without one on purpose.
  const { keySource: _, ...vendor } = { ...server, key: '' };
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, vendor, { format, io });
  return showAccepted(reply.value, { server, source: source.value, format, io }, args.has('wait'));
}

export const signalsSendVerb: Verb = {
  usage: 'SOURCE',
  count: [1, 1],
  flags: [
    { ...SAMPLE, text: 'the sample of this vendor (the type of the source)' },
    ...SAMPLE_FLAGS,
    { name: 'ingest-url', value: 'URL', text: 'address at which vendors reach the platform (the API itself)' },
    { name: 'wait', text: 'wait for what becomes of it: signals, or a dead letter' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `Signs the sample of a vendor with the secret of the source, and posts it to the URL of the source. The sample's times
are moved to now. In mode Active it opens an incident like a real one. The secret is never shown. SOURCE may be
NAMESPACE/NAME. Exit 1 with --wait: it became a dead letter.`,
  examples: [
    '{orb} signals send grafana --secret-file grafana.secret --orb acme.mailer@1.2.0 --wait',
    '{orb} signals send acme/github --sample github --secret-file - --ingest-url https://hooks.acme.example',
  ],
  run: send,
};
