import { request } from 'node:http';
import { textAt } from '../../../hack/control-plane/json.ts';
import { readJson } from '../rig/json.ts';

/** Where requests go, and with which key. */
export interface Caller {
  readonly url: string;
  readonly key: string;
}

/** A complete answer. */
export interface Answer {
  readonly status: number;
  /** Of a problem; '' for every other answer. */
  readonly code: string;
  /** undefined when it is no JSON. */
  readonly body: unknown;
  readonly text: string;
}

/** A request whose caller is not told how far the platform has read it. */
export interface Sending {
  /** Resolves when everything that is to be sent was given to the kernel, or the connection is gone. */
  readonly sent: Promise<void>;
  /** undefined: the connection ended before the answer did. */
  readonly answer: Promise<Answer | undefined>;
}

const answerOf = (status: number, text: string): Answer => {
  const body = readJson(text);
  return { status, code: textAt(body, 'code'), body, text };
};

/**
 * Sends a POST on a connection of its own.
 * @param share of the body that is sent, 0 … 1; below 1 the request never ends
 */
export function send({ url, key }: Caller, path: string, body: unknown, share = 1): Sending {
  const bytes = Buffer.from(JSON.stringify(body));
  const sent = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Answer | undefined>();
  const gone = (): void => {
    sent.resolve();
    answer.resolve(undefined);
  };
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': bytes.length,
  };
  const posted = request(`${url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', gone);
    response.on('end', () =>
      answer.resolve(answerOf(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))),
    );
    response.on('close', gone);
  });
  posted.on('error', gone);
  posted.on('close', gone);
  if (share < 1) posted.write(bytes.subarray(0, Math.floor(bytes.length * share)), () => sent.resolve());
  else posted.end(bytes, () => sent.resolve());
  return { sent: sent.promise, answer: answer.promise };
}

/** @param key null: as a stranger @throws TypeError the platform does not answer */
export async function get(
  { url, key }: { readonly url: string; readonly key: string | null },
  path: string,
): Promise<Answer> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}${path}`, { headers });
  return answerOf(response.status, await response.text());
}

/** Publishes over HTTP. @param query `''` or `?dry_run=true` */
export const postPublication = (caller: Caller, body: unknown, query = ''): Promise<Answer | undefined> =>
  send(caller, `/marketplace/orbs/publish${query}`, body).answer;
