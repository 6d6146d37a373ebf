import { writeFile } from 'node:fs/promises';
import { replyOf } from '../api/answer.ts';
import { call, type Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import type { Format } from '../io/output.ts';

/** One receipt of a server, and how to report a refusal. */
export interface WantedReceipt {
  readonly server: Server;
  readonly path: string;
  readonly format: Format;
}

export const RECEIPT_TIMEOUT_MS = 30_000;
const JOSE = 'application/jose';
const BUNDLE = 'application/vnd.orb.bundle+json';
// A receipt is in the log within 5 s (trust.md §2.3).
const PENDING_TRIES = 20;
const PENDING_WAIT_MS = 500;

/** @param namespace of the tenant; undefined: the only namespace of the key */
export function receiptPath(id: string, namespace: string | undefined): string {
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return `receipts/${encodeURIComponent(id)}${query}`;
}

async function write(file: string, bytes: Uint8Array, io: Io): Promise<void> {
  if (file === '-') io.out(new TextDecoder().decode(bytes));
  else await writeFile(file, bytes);
}

const isPending = (bytes: Uint8Array): boolean => {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return typeof value === 'object' && value !== null && 'tlog_proof' in value && value.tlog_proof === null;
};

async function fetchForm(wanted: WantedReceipt, type: string, io: Io): Promise<Uint8Array | Exit> {
  const { server, path, format } = wanted;
  const answer = await call(
    server,
    { method: 'GET', path, headers: { accept: type }, timeoutMs: RECEIPT_TIMEOUT_MS },
    io.signal,
  );
  if (answer.status === 200 && answer.contentType.startsWith(type)) return answer.body;
  const reply = replyOf(server, answer);
  return printProblem(answer.status, reply.value, server, { format, io });
}

/** The signed receipt alone. @param file - is standard output */
export async function saveJws(wanted: WantedReceipt, file: string, io: Io): Promise<Exit> {
  const found = await fetchForm(wanted, JOSE, io);
  if (typeof found === 'number') return found;
  await write(file, found, io);
  return EXIT.ok;
}

/**
 * Saves the bytes as served, so that a later verification sees exactly them. Waits until they include the proof.
 * @param file - is standard output
 */
export async function saveBundle(wanted: WantedReceipt, file: string, io: Io): Promise<Exit> {
  let found = await fetchForm(wanted, BUNDLE, io);
  for (let tries = 1; typeof found !== 'number' && isPending(found) && tries < PENDING_TRIES; tries += 1) {
    await io.clock.sleep(PENDING_WAIT_MS, io.signal);
    found = await fetchForm(wanted, BUNDLE, io);
  }
  if (typeof found === 'number') return found;
  if (isPending(found))
    io.err('the receipt is not in the log yet: get it again later, or verify it with --allow-unlogged\n');
  await write(file, found, io);
  return EXIT.ok;
}
