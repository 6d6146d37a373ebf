import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { at } from '../../../support/members.ts';

/** An answer of the platform. */
export interface Said {
  readonly status: number;
  readonly etag: string;
  readonly body: JsonObject;
}

type Headers = Readonly<Record<string, string>>;

/** The caller of a platform that may be killed at any moment. */
export interface PolicyClient {
  /** @throws TypeError the connection broke */
  readonly call: (method: string, path: string, body?: JsonObject, headers?: Headers) => Promise<Said>;
  readonly run: (text: string) => Promise<Said>;
  readonly policy: (name: string) => Promise<Said>;
  readonly create: (name: string, spec: JsonObject) => Promise<Said>;
  readonly replace: (name: string, spec: JsonObject, etag: string) => Promise<Said>;
  readonly promote: (name: string) => Promise<Said>;
  readonly remove: (name: string, etag: string) => Promise<Said>;
  /** Starts a replay of a stored version over the last two hours. */
  readonly replay: (name: string, digest: string) => Promise<Said>;
  readonly replayed: (replayId: string) => Promise<Said>;
  /** As another identity. */
  readonly approve: (decisionId: string) => Promise<Said>;
}

/** What a client speaks to, and as whom. */
export interface ClientPlace {
  readonly url: string;
  readonly key: string;
  readonly approverKey: string;
  readonly namespace: string;
  readonly orbiset: string;
  readonly orbId: string;
}

const HOUR_MS = 3_600_000;
const DECISION = /^dec_/;

/** Reads an answer to its end. */
export async function saidOf(response: Response): Promise<Said> {
  const text = await response.text();
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return {
    status: response.status,
    etag: response.headers.get('etag') ?? '',
    body: isJsonObject(value) ? value : {},
  };
}

/** A text of an answer; '' when there is none. */
export function textIn(body: JsonObject, ...path: readonly string[]): string {
  const found = at(body, ...path);
  return typeof found === 'string' ? found : '';
}

/** `403 policy-denied`; the status alone when there is no code. */
export const outcomeOf = ({ status, body }: Said): string => `${status} ${textIn(body, 'code')}`.trim();

export const receiptIn = ({ body }: Said): string | undefined =>
  /"receipt_id":"(rcpt_[^"]+)"/.exec(JSON.stringify(body))?.[1];

/** @throws TypeError the answer names no decision */
export function decisionIn({ body }: Said): string {
  const id = textIn(body, 'decision_id');
  if (!DECISION.test(id)) throw new TypeError(`no decision in ${JSON.stringify(body).slice(0, 200)}`);
  return id;
}

export function policyClient({ url, key, approverKey, namespace, orbiset, orbId }: ClientPlace): PolicyClient {
  const callAs =
    (bearer: string): PolicyClient['call'] =>
    async (method, path, body, headers = {}) => {
      const own = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      return saidOf(
        await fetch(`${url}${path}`, {
          method,
          headers: { ...own, ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    };
  const call = callAs(key);
  const pathOf = (name: string): string => `/policies/${namespace}/${name}`;
  return {
    call,
    run: (text) => call('POST', `/orbisets/${orbiset}/execute`, { orb_id: orbId, inputs: { text } }),
    policy: (name) => call('GET', pathOf(name)),
    create: (name, spec) => call('POST', '/policies', { metadata: { name }, spec }),
    replace: (name, spec, etag) => call('PUT', pathOf(name), { spec }, { 'if-match': etag }),
    promote: (name) => call('POST', `${pathOf(name)}/promote`, {}),
    remove: (name, etag) => call('DELETE', pathOf(name), undefined, { 'if-match': etag }),
    replay: (name, digest) => {
      const now = Date.now();
      const window = { from: new Date(now - 2 * HOUR_MS).toISOString(), to: new Date(now).toISOString() };
      return call('POST', '/policies/replay', { ref: `${namespace}/${name}`, digest, window });
    },
    replayed: (replayId) => call('GET', `/replays/${replayId}`),
    approve: (decisionId) => callAs(approverKey)('POST', `/decisions/${decisionId}/approve`),
  };
}
