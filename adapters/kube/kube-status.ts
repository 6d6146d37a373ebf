import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { readKubeJson } from './kube-json.ts';
import { KubeError } from './port.ts';

const MAX_MESSAGE = 512;

interface Cause {
  readonly reason: string;
  readonly message: string;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function causesOf(details: JsonValue | undefined): readonly Cause[] {
  const causes = member(details, 'causes');
  if (!Array.isArray(causes)) return [];
  return causes
    .map((cause: JsonValue) => ({
      reason: textOf(member(cause, 'reason')),
      message: textOf(member(cause, 'message')),
    }))
    .filter(({ reason }) => reason !== '');
}

/** The server names the managers in a sentence only; it quotes no values there. */
function managersOf(causes: readonly Cause[]): readonly string[] {
  const found = causes.flatMap(({ reason, message }) => {
    const [, manager] = /^conflict with "((?:[^"\\]|\\.){1,128})"/.exec(message) ?? [];
    return reason === 'FieldManagerConflict' && manager !== undefined ? [manager] : [];
  });
  return [...new Set(found)];
}

const seconds = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value * 1000 : undefined;

/** `Retry-After` in seconds; the API server sends no dates. */
function headerMs(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,9}$/.test(header) ? Number(header) * 1000 : undefined;
}

export interface Refusal {
  /** HTTP status, or `code` of an in-stream ERROR. */
  readonly status: number;
  /** A `Status` object, or any other body that came in its place. */
  readonly body: unknown;
  readonly retryAfter?: string;
  /** Description of the call for people: `PATCH orbs acme/x`. */
  readonly what: string;
  /** The server's message may quote what was sent, so it is not shown for Secrets and tokens. */
  readonly quiet?: boolean;
}

/** The error that a `Status` describes. */
export function statusError({ status, body, retryAfter, what, quiet = false }: Refusal): KubeError {
  const object: JsonObject = isJsonObject(body) ? body : {};
  const { reason, message, details } = object;
  const retryAfterMs = headerMs(retryAfter) ?? seconds(member(details, 'retryAfterSeconds'));
  const said = typeof message === 'string' && !quiet ? `: ${message.slice(0, MAX_MESSAGE)}` : '';
  const name = textOf(reason);
  const causes = causesOf(details);
  return new KubeError(`${what} was answered with ${status}${name && ` ${name}`}${said}`, {
    status,
    reason: name,
    causes: causes.map((cause) => cause.reason),
    managers: managersOf(causes),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The body of an error answer: JSON or any text. */
export function readRefusal(bytes: Uint8Array): unknown {
  try {
    return readKubeJson(bytes).value;
  } catch {
    return undefined;
  }
}

/** No complete answer came. */
export const noAnswerError = (what: string, cause: unknown): KubeError =>
  new KubeError(`${what} was not answered: check that the API server is up and can be reached`, noAnswer, { cause });

/** There are no credentials to send. */
export const notSentError = (what: string, cause: unknown): KubeError =>
  new KubeError(`${what} was not sent: ${cause instanceof Error ? cause.message : 'no credentials'}`, noAnswer, {
    cause,
  });

const noAnswer = { status: 0, reason: '', causes: [] } as const;
