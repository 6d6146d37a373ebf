import type { ProviderExchange } from '../attempts/classify.ts';
import { statusCause } from '../attempts/cause.ts';
import type { AttemptCause } from '../attempts/reasons.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { CompiledOutput } from '../orb/compiled-orb.ts';
import { explainBody, explainOutputs } from './explain-answer.ts';
import { extractOutputs } from './outputs.ts';
import { readBody, type ProviderAnswer } from './response-body.ts';

/** Status and headers of an answer; the headers are read only when something needs them. */
export interface AnswerHead {
  readonly status: number;
  readonly contentType: () => string | undefined;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: () => Readonly<Record<string, string>>;
}

/** What an answer says: how the exchange ended, and its outputs. */
export interface AnswerReading {
  readonly exchange: ProviderExchange;
  /** Unredacted; null unless the provider answered with a 2xx that has every output with a `from`. */
  readonly outputs: JsonObject | null;
  /** Every output has a value of its type. */
  readonly complete: boolean;
  /** Why it is a failure; made for a failure only. Unredacted. */
  readonly cause: AttemptCause | undefined;
}

/** Its headers are joined by name when an output reads them: most outputs are in the body. */
class LazyAnswer implements ProviderAnswer {
  readonly body: JsonValue | undefined;
  readonly #head: AnswerHead;
  #map: Readonly<Record<string, string>> | undefined;

  constructor(head: AnswerHead, body: JsonValue | undefined) {
    this.body = body;
    this.#head = head;
  }

  get status(): number {
    return this.#head.status;
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#map ??= this.#head.headers());
  }
}

const withoutOutputs = (status: number, cause: AttemptCause): AnswerReading => ({
  exchange: { kind: 'answered', status, outputsPresent: false },
  outputs: null,
  complete: false,
  cause,
});

/** Reads a provider's whole answer: its outputs, and whether the attempt succeeded (failover.md §2). */
export function readAnswer(head: AnswerHead, bytes: Uint8Array, outputs: readonly CompiledOutput[]): AnswerReading {
  const { status } = head;
  if (status < 200 || status > 299) return withoutOutputs(status, statusCause(status));
  const contentType = head.contentType();
  const body = readBody(bytes, contentType);
  if (!body.ok) return withoutOutputs(status, explainBody(body, { bytes, contentType }));
  const answer = new LazyAnswer(head, body.body);
  const { outputs: found, missing, complete } = extractOutputs(outputs, answer);
  if (missing.length === 0)
    return { exchange: { kind: 'answered', status, outputsPresent: true }, outputs: found, complete, cause: undefined };
  return withoutOutputs(status, explainOutputs({ outputs, missing }, answer, { bytes, contentType }));
}
