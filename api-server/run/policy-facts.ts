import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { requestFacts, responseFacts } from '../../core/policy/facts/build-facts.ts';
import { preFlightFacts, type LastingFacts, type PreFlightFacts } from '../../core/policy/facts/pre-flight-facts.ts';
import type { Facts } from '../../core/policy/language/port.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { ReadyAttempt } from '../../core/run/eligibility.ts';
import type { RunsToday } from '../runtime/day-counts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AttemptResult } from './attempt.ts';
import { contentTypeOf } from './header-map.ts';
import type { ResolvedRun } from './plan.ts';

/** A run before a secret is read. */
export interface PolicySubject extends ResolvedRun {
  readonly caller: Caller | undefined;
  /** Ms since epoch. */
  readonly startedAt: number;
  readonly hasIdempotencyKey: boolean;
  /** Undefined: unknown, so that rules that read a count fail. */
  readonly runsToday: RunsToday | undefined;
  /** Bytes of the canonical JSON of the inputs. */
  readonly inputBytes: number;
  /** Inputs whose values become facts. */
  readonly inputNames: readonly string[];
}

/** Whether no name in the inputs, at any level, holds a known form of a secret. */
const hasPlainNames = (redactor: CompiledOrbiset['redactor'], inputs: JsonObject): boolean =>
  Object.entries(inputs).every(
    ([name, value]) => redactor.text(name).hits === 0 && (!isJsonObject(value) || hasPlainNames(redactor, value)),
  );

/**
 * Facts are stored and shown, and a caller may send the value of a secret as an input. Of most inputs only the names
 * become facts: their values are not looked at.
 */
function withoutSecrets(orbiset: CompiledOrbiset, inputs: JsonObject, inputNames: readonly string[]): JsonObject {
  if (inputNames.length === 0 && hasPlainNames(orbiset.redactor, inputs)) return inputs;
  const { value } = orbiset.redactor.json(inputs);
  return isJsonObject(value) ? value : {};
}

/** The facts of phase PreFlight, and what they were made of. */
export function factsBefore(
  { policyState: { lastingFacts } }: Runtime,
  subject: PolicySubject,
): PreFlightFacts & { readonly lasting: LastingFacts } {
  const { orb, orbiset, inputNames, startedAt } = subject;
  const lasting = {
    orb: lastingFacts.orb(orb, startedAt),
    caller: lastingFacts.caller(subject.caller, orbiset.namespace),
    orbiset: lastingFacts.orbiset(orbiset),
  };
  const { runsToday, hasIdempotencyKey, inputBytes } = subject;
  const inputs = withoutSecrets(orbiset, subject.inputs, inputNames);
  const ofRun = { runsToday, startedAt, hasIdempotencyKey, inputs, inputBytes, inputNames };
  return { ...preFlightFacts({ ...lasting, ...ofRun }), lasting };
}

/** Path and names of the query of a URL that holds placeholders, which `URL` would escape. */
function partsOf(sealedUrl: string): { readonly path: string; readonly queryNames: readonly string[] } {
  const [address = '', ...query] = sealedUrl.split('#', 1).join('').split('?');
  const path = address.replace(/^[a-z]+:\/\/[^/]*/i, '');
  const names = new URLSearchParams(query.join('?')).keys(); // a value may hold further question marks
  return { path: path === '' ? '/' : path, queryNames: [...new Set(names)].toSorted() };
}

/** A label of the host that comes from a secret is shown as `*`. */
const shownHost = ({ request: { literalHost, sealedUrl } }: ReadyAttempt['provider']): string =>
  literalHost ?? sealedUrl.replace(/^[a-z]+:\/\//i, '').replace(/^[^/]*\}\}[^./]*\.([^/:?#]+).*$/, '*.$1');

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const portOf = ({ port, protocol }: URL): number => (port === '' ? (DEFAULT_PORTS[protocol] ?? 443) : Number(port));

/** What phase Request adds, for one provider: its request with placeholders in place of secrets. */
export function factsOfRequest({ orbiset, inputs }: ResolvedRun, { provider, request }: ReadyAttempt): Facts {
  const sealed = provider.request.seal(inputs);
  if (!sealed.ok) throw new TypeError('a request that can be sent has a sealed form');
  const { url, headers, body, method } = sealed.request;
  const { path, queryNames } = partsOf(url);
  return requestFacts({
    provider: provider.name,
    method,
    host: shownHost(provider),
    port: portOf(new URL(request.url)),
    path: orbiset.redactor.text(path).value,
    queryNames: queryNames.map((name) => orbiset.redactor.text(name).value),
    headerNames: [...new Set(headers.map(([name]) => name.toLowerCase()))].toSorted(),
    secretRefs: provider.request.secretsFor(inputs),
    bodyBytes: body === null ? 0 : Buffer.byteLength(body),
  });
}

/** What phase Response adds. @param durationMs from the start of the run */
export function factsOfResponse({ redactor }: CompiledOrbiset, result: AttemptResult, durationMs: number): Facts {
  const { headers, bodyBytes, record } = result;
  return responseFacts({
    status: record.http_status ?? 0,
    bodyBytes,
    durationMs,
    contentType: redactor.text(contentTypeOf(headers) ?? '').value,
    headerNames: [...new Set(headers.map(([name]) => redactor.text(name).value))].toSorted(),
  });
}
