import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { sameValue, schemaFaults } from './schema-faults.ts';
import { readJsonText } from '../manifest/text/json-reader.ts';
import type { RenderedRequest } from '../template/rendered-request.ts';
import type { RunFacts } from './run-facts.ts';
import type { Assertion, Expectation, ExpectedRequest, TestCase } from './suite.ts';

const MAX_SHOWN = 200;

/** A value in a message for the author of a suite; long ones are cut. */
function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const equal = (what: string, found: JsonValue | undefined, wanted: JsonValue): readonly string[] =>
  found !== undefined && sameValue(found, wanted) ? [] : [`${what} is ${shown(found)}, expected ${shown(wanted)}`];

/** Compares a value with an assertion. @param found undefined or null: absent */
function assertion(what: string, found: JsonValue | undefined, wanted: Assertion): readonly string[] {
  if ('equals' in wanted) return equal(what, found, wanted.equals);
  if ('absent' in wanted)
    return found === undefined || found === null ? [] : [`${what} is ${shown(found)}, expected none`];
  if (found === undefined) return [`${what} is absent`];
  return schemaFaults(found, wanted.schema, 3).map(
    ({ pointer, detail }) => `${what}${pointer} does not fit its schema: ${detail}`,
  );
}

/** What is wrong with the outputs of a run that completed. Messages hold values: they are for the author. */
export function compareOutputs(outputs: JsonObject | null, wanted: Expectation['outputs'] = {}): readonly string[] {
  return Object.entries(wanted).flatMap(([name, one]) => {
    const found = outputs !== null && Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    return assertion(`output ${name}`, found, one);
  });
}

/** A body as JSON, or as text when it is no JSON. */
function bodyOf(body: string | null): JsonValue | undefined {
  if (body === null) return undefined;
  const { reading, value } = readJsonText(body, { keepsOffsets: false });
  return value === undefined || reading.findings.length > 0 ? body : value;
}

const urlOf = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

function headerOf({ headers }: RenderedRequest, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
}

function compareRequest(found: RenderedRequest | undefined, wanted: ExpectedRequest | undefined): readonly string[] {
  if (wanted === undefined) return [];
  if (found === undefined) return ['no request was made'];
  return [
    ...(wanted.method === undefined ? [] : equal('request method', found.method, wanted.method)),
    ...(wanted.url === undefined ? [] : equal('request URL', urlOf(found.url), urlOf(wanted.url))),
    ...Object.entries(wanted.headers ?? {}).flatMap(([name, one]) =>
      assertion(`request header ${name}`, headerOf(found, name), one),
    ),
    ...(wanted.body === undefined ? [] : equal('request body', bodyOf(found.body), wanted.body)),
  ];
}

function compareTimes(
  facts: RunFacts,
  { timeoutMs, expect }: Pick<TestCase, 'timeoutMs' | 'expect'>,
): readonly string[] {
  const limits = [
    ['max_execution_ms', expect.max_execution_ms],
    ['timeout_ms', timeoutMs],
  ] as const;
  return limits.flatMap(([name, limit]) =>
    limit === undefined || facts.executionMs <= limit ? [] : [`it took ${facts.executionMs} ms, ${name} is ${limit}`],
  );
}

/**
 * What differs between a run and what its case expects (trust.md §8.3), one sentence each; empty: the case passed.
 * Messages may hold outputs.
 */
export function compareRun(facts: RunFacts, item: Pick<TestCase, 'timeoutMs' | 'expect'>): readonly string[] {
  const { expect } = item;
  return [
    ...equal('status', facts.status, expect.status),
    ...(expect.outcome === undefined ? [] : equal('outcome', facts.outcome, expect.outcome)),
    ...compareOutputs(facts.outputs, expect.outputs),
    ...compareRequest(facts.request, expect.request),
    ...(expect.attempts === undefined ? [] : equal('number of attempts', facts.attempts, expect.attempts)),
    ...(expect.active_provider === undefined
      ? []
      : equal('last provider', facts.activeProvider, expect.active_provider)),
    ...compareTimes(facts, item),
  ];
}
