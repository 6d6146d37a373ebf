import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { EXIT, Failure } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { call, type ApiAnswer, type ApiRequest, type Server } from './http.ts';

/** A JSON answer of the API: its result, or its problem (RFC 9457). */
export type Reply =
  | { readonly kind: 'result'; readonly value: JsonObject; readonly etag: string | undefined }
  | { readonly kind: 'problem'; readonly status: number; readonly value: JsonObject };

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
};

const isJson = (answer: ApiAnswer): boolean => /^application\/(?:[a-z.+-]+\+)?json(?:;|$)/.test(answer.contentType);

const NO_CONTENT = 204;

/**
 * The reply in an answer; one without content is an empty object.
 * @throws Failure (4) the answer does not come from the API
 */
export function replyOf(server: Server, answer: ApiAnswer): Reply {
  const { etag } = answer;
  if (answer.status === NO_CONTENT) return { kind: 'result', value: {}, etag };
  const value = isJson(answer) ? parse(answer.body) : undefined;
  if (!isJsonObject(value)) {
    throw new Failure(
      EXIT.unreachable,
      `${server.base.origin} answers with ${answer.status}, but not as an Orb API does`,
      ['check --server: it is the address of the API, not of a proxy in front of something else'],
    );
  }
  if (answer.status >= 200 && answer.status < 300) return { kind: 'result', value, etag };
  return { kind: 'problem', status: answer.status, value };
}

/** Sends a request and parses the answer. */
export const fetchReply = async (server: Server, request: ApiRequest, io: Io): Promise<Reply> =>
  replyOf(server, await call(server, request, io.signal));
