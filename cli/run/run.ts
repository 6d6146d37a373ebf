import type { JsonObject } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import { NoAnswer, type ApiRequest, type Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, Failure, invalid, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt, type Format } from '../io/output.ts';
import { saveBundle } from '../api/save-bundle.ts';
import { receiptPath } from '../receipts/receipt-path.ts';
import { parseInputs } from './inputs.ts';
import { isRunnable, dryRunText, missingOutputsText, runText } from './print-run.ts';

// The longest run (120 s, design.md §2), plus some time for the network.
const TIMEOUT_MS = 150_000;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

function pathOf(args: Args): string {
  const namespace = args.one('namespace');
  const orbiset = args.one('orbiset') ?? 'default';
  const id = namespace === undefined ? orbiset : `${namespace}.${orbiset}`;
  const flags = [...(args.has('dry-run') ? ['dry_run=true'] : []), ...(args.has('debug') ? ['debug=true'] : [])];
  return `orbisets/${encodeURIComponent(id)}/execute${flags.length === 0 ? '' : `?${flags.join('&')}`}`;
}

function headersOf(args: Args): Readonly<Record<string, string>> {
  const key = args.one('idempotency-key');
  if (key === undefined) return {};
  if (!IDEMPOTENCY_KEY.test(key)) throw invalid('--idempotency-key: it has 1 to 255 visible ASCII characters');
  return { 'idempotency-key': key };
}

async function requestOf(args: Args, io: Io): Promise<ApiRequest> {
  const [orb = '', ...words] = args.positionals;
  if (args.has('dry-run') && args.has('idempotency-key'))
    throw usage('--dry-run starts no run, so it takes no --idempotency-key');
  if (args.has('dry-run') && args.has('bundle')) throw usage('--dry-run starts no run, so there is no --bundle of it');
  if (args.one('bundle') === '-') throw usage('--bundle: a file; standard output is the result of the run');
  const path = pathOf(args);
  const headers = headersOf(args);
  const body = JSON.stringify({ orb_id: orbIdOf(orb), inputs: await parseInputs(words, args.one('input-json'), io) });
  return { method: 'POST', path, headers: { accept: 'application/json', ...headers }, body, timeoutMs: TIMEOUT_MS };
}

/** A run that may have happened is never reported as a run that did not happen. */
async function send(server: Server, request: ApiRequest, args: Args, io: Io): Promise<Reply> {
  try {
    return await fetchReply(server, request, io);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const doubt = 'the Orb may have been executed: look at `orb receipts list` before you try again';
    const again = 'the same --idempotency-key gives the answer of the first try';
    const start =
      server.connect === undefined
        ? 'start one with `npm start` or `orb dev`, or name one by --server URL or --context NAME'
        : 'kubectl get pods -A -l app.kubernetes.io/part-of=orb-platform    shows its pods';
    const next =
      error.sent && !args.has('dry-run')
        ? [doubt, ...(args.has('idempotency-key') ? [again] : [])]
        : [...error.next, start];
    throw new Failure(EXIT.unreachable, error.message, next);
  }
}

async function print(result: JsonObject, format: Format, dry: boolean, io: Io): Promise<Exit> {
  if (format === 'json' || format === 'yaml') io.out(await dataText(result, format));
  else io.out(dry ? dryRunText(result) : runText(result));
  io.err(missingOutputsText(result));
  return dry && !isRunnable(result) ? EXIT.negative : EXIT.ok;
}

/** A failed run has a receipt too; a request that started no run has no receipt. */
const receiptOf = (reply: Reply): string =>
  textAt(objectAt(reply.kind === 'problem' ? objectAt(reply.value, 'run') : reply.value, 'receipt'), 'receipt_id');

/** Saves the receipt of the run as a file. The exit code is that of the run, unless saving fails. */
async function save(reply: Reply, options: { server: Server; args: Args; format: Format }, io: Io): Promise<Exit> {
  const { server, args, format } = options;
  const [file, id] = [args.one('bundle'), receiptOf(reply)];
  if (file === undefined || id === '') return EXIT.ok;
  return saveBundle({ server, path: receiptPath(id, args.one('namespace')), format, kind: 'receipt' }, file, io);
}

export const runVerb: Verb = {
  usage: 'ORB_ID [name=text | name=@file | name:=json]…',
  count: [1, 1024],
  completes: 'orb-and-inputs',
  flags: [
    { name: 'input-json', value: 'FILE', text: 'file with the inputs as a JSON object; - is standard input' },
    { name: 'orbiset', value: 'NAME', text: 'Orbiset to run in (default)' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'its namespace, for keys of several tenants' },
    { name: 'dry-run', text: 'show what would be sent to each provider; nothing is sent' },
    { name: 'debug', text: "show the provider's redacted answer (npm start only)" },
    { name: 'idempotency-key', value: 'KEY', text: 'a repeated key returns the answer of the first run (24 h)' },
    { name: 'bundle', value: 'FILE', text: 'save the receipt here, with all that `orb verify` needs' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: 'Write a text that begins with @ as name:=\'"@text"\'. Exit 1: the run failed; its receipt says why.',
  examples: [
    "{orb} run example.echo@1.0.0 text='Hello, Orb'",
    "{orb} run example.echo@1.0.0 text='Hello, Orb' --bundle receipt.json",
    '{orb} run acme.resize@2.1.0 width:=640 image=@picture.b64 --dry-run',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const request = await requestOf(args, io);
    const server = await findServer(args, io);
    const reply = await send(server, request, args, io);
    const ended = await (reply.kind === 'problem'
      ? printProblem(reply.status, reply.value, server, { format, io })
      : print(reply.value, format, args.has('dry-run'), io));
    const saved = await save(reply, { server, args, format }, io);
    return ended === EXIT.ok ? saved : ended;
  },
};
