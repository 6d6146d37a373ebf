import { writeFile } from 'node:fs/promises';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import type { Format } from '../io/output.ts';
import { replyOf } from './answer.ts';
import { call, type Server } from './http.ts';
import { printProblem } from './problem.ts';

/** One signed document of a server, and how to report a refusal. */
export interface WantedDocument {
  readonly server: Server;
  readonly path: string;
  readonly format: Format;
  readonly kind: 'receipt' | 'certificate';
}

export const DOCUMENT_TIMEOUT_MS = 30_000;
/** Media types of the signed documents alone. */
const SIGNED = { receipt: 'application/jose', certificate: 'application/vc+jwt' } as const;
const BUNDLE = 'application/vnd.orb.bundle+json';
// A document is in the log within 5 s (trust.md §2.3).
const PENDING_TRIES = 20;
const PENDING_WAIT_MS = 500;

async function write(file: string, bytes: Uint8Array, io: Io): Promise<void> {
  if (file === '-') io.out(new TextDecoder().decode(bytes));
  else await writeFile(file, bytes);
}

const isPending = (bytes: Uint8Array): boolean => {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return typeof value === 'object' && value !== null && 'tlog_proof' in value && value.tlog_proof === null;
};

async function fetchForm(wanted: WantedDocument, type: string, io: Io): Promise<Uint8Array | Exit> {
  const { server, path, format } = wanted;
  const answer = await call(
    server,
    { method: 'GET', path, headers: { accept: type }, timeoutMs: DOCUMENT_TIMEOUT_MS },
    io.signal,
  );
  if (answer.status === 200 && answer.contentType.startsWith(type)) return answer.body;
  const reply = replyOf(server, answer);
  return printProblem(answer.status, reply.value, server, { format, io });
}

/** The signed document alone. @param file - is standard output */
export async function saveSigned(wanted: WantedDocument, file: string, io: Io): Promise<Exit> {
  const found = await fetchForm(wanted, SIGNED[wanted.kind], io);
  if (typeof found === 'number') return found;
  await write(file, found, io);
  return EXIT.ok;
}

/**
 * Saves the bytes as served, so that a later verification sees exactly them. Waits until they include the proof.
 * @param file - is standard output
 */
export async function saveBundle(wanted: WantedDocument, file: string, io: Io): Promise<Exit> {
  let found = await fetchForm(wanted, BUNDLE, io);
  for (let tries = 1; typeof found !== 'number' && isPending(found) && tries < PENDING_TRIES; tries += 1) {
    await io.clock.sleep(PENDING_WAIT_MS, io.signal);
    found = await fetchForm(wanted, BUNDLE, io);
  }
  if (typeof found === 'number') return found;
  if (isPending(found))
    io.err(`the ${wanted.kind} is not in the log yet: get it again later, or verify it with --allow-unlogged\n`);
  await write(file, found, io);
  return EXIT.ok;
}
