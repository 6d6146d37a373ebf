import { member } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import { NoAnswer, type Server } from '../api/http.ts';
import { withQuery } from '../api/print-page.ts';
import { EXIT, Failure, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';

const REQUEST_MS = 30_000;
/** Time between two questions. */
const POLL_MS = 1000;
/** Least time between two lines of progress. */
const PROGRESS_MS = 5000;

/** A replay of the API. */
export interface ReplayRef {
  readonly id: string;
  /** Tenant, for keys of several; undefined: the only one of the key. */
  readonly namespace: string | undefined;
}

/** Path of a replay, relative to the address of the API. */
export const replayPath = (
  { id, namespace }: ReplayRef,
  rest = '',
  query: Readonly<Record<string, string>> = {},
): string => withQuery(`replays/${encodeURIComponent(id)}${rest}`, { ...query, namespace });

/** The line that shows a replay again. */
export const againLine = ({ id, namespace }: ReplayRef, io: Pick<Io, 'program'>): string =>
  `${io.program} policy replay --id ${id} ${namespace === undefined ? '' : `-n ${namespace} `}--wait    looks at it again`;

/** Reads a replay. */
export async function readReplay(server: Server, ref: ReplayRef, io: Io): Promise<Reply> {
  const request = { method: 'GET', path: replayPath(ref), timeoutMs: REQUEST_MS } as const;
  try {
    return await fetchReply(server, { ...request, headers: { accept: 'application/json' } }, io);
  } catch (error) {
    if (error instanceof NoAnswer) throw new Failure(EXIT.unreachable, error.message, [againLine(ref, io)]);
    throw error;
  }
}

/**
 * Reads a replay until it runs no more, and says how far it is on stderr.
 * @param limitMs longest wait, ms
 * @throws Failure (2) it still runs then; (4) the API doesn't answer. The replay goes on.
 */
export async function waitForReplay(server: Server, ref: ReplayRef, limitMs: number, io: Io): Promise<Reply> {
  const { id } = ref;
  const began = io.clock.monotonic();
  let saidAt = began;
  for (;;) {
    const reply = await readReplay(server, ref, io);
    if (reply.kind === 'problem' || textAt(reply.value, 'status') !== 'running') return reply;
    const now = io.clock.monotonic();
    if (now - began >= limitMs)
      throw invalid(`${id} still runs after ${Math.round(limitMs / 1000)} s`, againLine(ref, io));
    if (now - saidAt >= PROGRESS_MS) {
      saidAt = now;
      const done = member(reply.value, 'evaluated');
      io.err(`${id} runs${typeof done === 'number' ? `: ${done} runs so far` : ''}\n`);
    }
    await io.clock.sleep(POLL_MS, io.signal);
  }
}
