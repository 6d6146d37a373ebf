import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { DOCUMENT_TIMEOUT_MS, saveBundle, saveSigned, type WantedDocument } from '../api/save-bundle.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, table, textAt } from '../io/output.ts';
import { receiptPath } from './receipt-path.ts';

const checkRow = (check: JsonValue): readonly string[] => {
  const ok = member(check, 'ok');
  return [`  ${textAt(check, 'id')}`, ok === true ? 'ok' : ok === false ? 'FAILED' : 'not yet'];
};

/** The subject of the receipt: a run or a swap. */
function subjectRow(record: JsonObject, isSwap: boolean): readonly string[] {
  if (isSwap) {
    const swap = objectAt(record, 'swap');
    const [from, to] = [textAt(swap, 'from'), textAt(swap, 'to')];
    return ['swap', `${textAt(swap, 'seq')} from ${from} to ${to}, ${textAt(swap, 'reason')}`];
  }
  const execution = objectAt(record, 'execution');
  const took = `${textAt(execution, 'duration_ms')} ms`;
  return ['run', `${textAt(execution, 'run_id')} ${textAt(execution, 'outcome')} in ${took}`];
}

/** A receipt as the server reports it; only `orb verify` proves it. */
function receiptText(receipt: JsonObject): string {
  const record = objectAt(receipt, 'record');
  const isSwap = member(receipt, 'kind') === 'swap';
  const log = objectAt(receipt, 'log');
  const verification = objectAt(receipt, 'verification');
  const place =
    member(receipt, 'log') === null
      ? 'pending'
      : `${textAt(log, 'origin')} index ${textAt(log, 'index')} of ${textAt(log, 'tree_size')}`;
  return table([
    ['receipt', textAt(receipt, 'receipt_id')],
    ['orb', textAt(objectAt(record, 'orb'), 'id')],
    subjectRow(record, isSwap),
    ['issued', textAt(receipt, 'timestamp')],
    ...(isSwap ? [] : [['trust', `${textAt(receipt, 'trust_score')}, risk ${textAt(receipt, 'risk_level')}`]]),
    ['log', place],
    ['server says', `${textAt(verification, 'verdict')} (${textAt(verification, 'code')})`],
    ...listAt(verification, 'checks').map(checkRow),
  ]);
}

async function show(wanted: WantedDocument, io: Io): Promise<Exit> {
  const { server, path, format } = wanted;
  const reply = await fetchReply(
    server,
    { method: 'GET', path, headers: { accept: 'application/json' }, timeoutMs: DOCUMENT_TIMEOUT_MS },
    io,
  );
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
  io.out(format === 'json' || format === 'yaml' ? await dataText(reply.value, format) : receiptText(reply.value));
  return EXIT.ok;
}

export const receiptsGetVerb: Verb = {
  usage: 'RECEIPT_ID',
  count: [1, 1],
  flags: [
    { name: 'bundle', value: 'FILE', text: 'save receipt, proof and keys document here; - is standard output' },
    { name: 'jws', value: 'FILE', text: 'save only the signed receipt' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'of this tenant, for keys of several' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  examples: ['{orb} receipts get rcpt_01a1f866-0dfa-7001-8000-000000001eef --bundle receipt.json'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const [bundle, jws] = [args.one('bundle'), args.one('jws')];
    if (bundle !== undefined && jws !== undefined) throw usage('--bundle or --jws, not both');
    const path = receiptPath(args.positionals[0] ?? '', args.one('namespace'));
    const wanted: WantedDocument = { server: await findServer(args, io), path, format, kind: 'receipt' };
    if (bundle !== undefined) return saveBundle(wanted, bundle, io);
    return jws === undefined ? show(wanted, io) : saveSigned(wanted, jws, io);
  },
};
