import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import type { UserName } from '../../../hack/control-plane/users.ts';
import { waitFor } from '../../support/wait-for.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';

/** One request as some user. */
export interface Ask {
  readonly as: UserName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Media type of the body; JSON unless said. */
  readonly type?: string;
  readonly body?: JsonValue;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  /** `Status.message` of a refusal, else ''. */
  readonly message: string;
}

const ATTEMPTS = 10;

export const APPLY = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';

function parse(text: string): JsonObject {
  // Some refusals are plain text.
  const value: unknown = text.startsWith('{') ? JSON.parse(text) : { message: text };
  if (!isJsonObject(value)) throw new TypeError('the API server answers with objects');
  return value;
}

function askOnce(plane: ControlPlane, { as, method, path, type, body }: Ask): Promise<Reply> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${plane.server.url}${path}`,
      {
        method,
        ca: plane.ca,
        headers: {
          authorization: `Bearer ${plane.users[as].token}`,
          // Node frames the body of a DELETE only when told its length.
          ...(payload === undefined
            ? {}
            : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(payload) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = parse(Buffer.concat(chunks).toString('utf8'));
          const { message } = answer;
          resolve({
            status: response.statusCode ?? 0,
            body: answer,
            message: typeof message === 'string' ? message : '',
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

/**
 * Asks the API server itself, so that a refusal is the server's and not kubectl's. A kind whose storage is not ready yet
 * is asked for again, as the server wants it (429, Retry-After of a second).
 */
export async function ask(plane: ControlPlane, what: Ask): Promise<Reply> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const reply = await askOnce(plane, what);
    if (reply.status !== 429 || left === 1) return reply;
    await delay(1000);
  }
}

/**
 * Waits until an admission policy is in force: the API server hears of a new one a moment after it was applied.
 * @param refused a dry run that nothing but the policy refuses
 */
export async function untilInForce(plane: ControlPlane, policy: string, refused: Ask): Promise<void> {
  const found = await waitFor(async () => {
    const { message } = await ask(plane, refused);
    return message.includes(`ValidatingAdmissionPolicy '${policy}'`) ? true : undefined;
  });
  if (found === undefined) throw new Error(`${policy} is not in force`);
}

/** As admin. @throws Error the server refused */
export async function askOk(plane: ControlPlane, what: Omit<Ask, 'as'>): Promise<JsonObject> {
  const { status, body, message } = await ask(plane, { ...what, as: 'admin' });
  if (status >= 300) throw new Error(`${what.method} ${what.path}: ${status} ${message}`);
  return body;
}

/** Waits until Kubernetes' own roles hold the platform's rules: a controller of its copies them a moment later. */
export async function untilAggregated(plane: ControlPlane): Promise<void> {
  const found = await waitFor(async () => {
    const roles = await Promise.all(
      ['view', 'edit', 'admin'].map((role) =>
        askOk(plane, { method: 'GET', path: `/apis/rbac.authorization.k8s.io/v1/clusterroles/${role}` }),
      ),
    );
    return roles.every((role) => JSON.stringify(role['rules']).includes('orbs.dev')) ? true : undefined;
  });
  if (found === undefined) throw new Error('view, edit and admin do not hold the rules of the platform');
}

/** Makes a namespace as admin, and what removes it with all that it holds. */
export async function makeNamespace(plane: ControlPlane, name: string): Promise<() => Promise<void>> {
  const metadata = { name };
  await askOk(plane, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata },
  });
  return async () => {
    await askOk(plane, { method: 'DELETE', path: `/api/v1/namespaces/${name}` });
  };
}
