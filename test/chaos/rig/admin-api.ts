import { Agent, request } from 'node:https';
import { readJson } from './json.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';

/** An answer of the API server. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** undefined when it is not JSON. */
  readonly body: unknown;
}

interface ApiCall {
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly type?: string;
}

/** Plain calls that return the whole answer, independent of the client under test. */
export interface AdminApi {
  readonly call: (method: string, path: string, call?: ApiCall) => Promise<ApiAnswer>;
  /** @throws Error the answer is not 2xx; a 404 to a DELETE is accepted */
  readonly ok: (method: string, path: string, call?: ApiCall) => Promise<unknown>;
  /** All objects of a collection. */
  readonly list: (path: string) => Promise<readonly unknown[]>;
  readonly close: () => void;
}

/** Content types of PATCH. */
export const APPLY = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';

const TIMEOUT_MS = 30_000;

/** @param ca PEM of the server's authority */
export function createAdminApi(url: string, ca: string, token: string): AdminApi {
  const agent = new Agent({ keepAlive: true, ca });
  const call = (method: string, path: string, { body, type = 'application/json' }: ApiCall = {}): Promise<ApiAnswer> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      // Without a length Node sends the body of a DELETE as if it were the next request.
      const length = text === '' ? {} : { 'content-length': Buffer.byteLength(text) };
      const headers = { ...length, authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type };
      const asked = request(new URL(path, url), { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const got = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: got, body: readJson(got) });
        });
      });
      asked.on('error', reject);
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer within 30 s`)));
      asked.end(text);
    });
  const ok = async (method: string, path: string, options: ApiCall = {}): Promise<unknown> => {
    const { status, body, text } = await call(method, path, options);
    if ((status >= 200 && status < 300) || (method === 'DELETE' && status === 404)) return body;
    throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
  };
  const list = async (path: string): Promise<readonly unknown[]> => {
    const body = await ok('GET', path);
    const items = at(body, 'items');
    const kind = at(body, 'kind');
    const apiVersion = at(body, 'apiVersion');
    // Built-in kinds leave kind and apiVersion out of the items of a list.
    const named = { apiVersion, kind: typeof kind === 'string' ? kind.replace(/List$/, '') : '' };
    return Array.isArray(items) ? items.map((item: unknown) => (isRecord(item) ? { ...named, ...item } : item)) : [];
  };
  return { call, ok, list, close: () => agent.destroy() };
}
