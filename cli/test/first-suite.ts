import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { isOfType } from '../../core/manifest/value-type.ts';
import type { CompiledOrb, CompiledProvider, ValueType } from '../../core/orb/compiled-orb.ts';
import { mockRun } from '../../core/suite/mock-run.ts';
import type { MockResponse, TestCase } from '../../core/suite/suite.ts';
import type { TestedOrb } from './tested-orb.ts';

const SAMPLES: Readonly<Record<ValueType, JsonValue>> = {
  string: 'example',
  number: 1.5,
  integer: 1,
  boolean: true,
  object: { example: true },
  array: ['example'],
};

const INDEX = /^(?:0|[1-9]\d?)$/;

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** A list with a value at a place; places before it that are missing become null. */
function withItem(list: readonly JsonValue[], place: number, item: JsonValue): readonly JsonValue[] {
  const length = Math.max(list.length, place + 1);
  return Array.from({ length }, (_, index) => (index === place ? item : (list[index] ?? null)));
}

/** The value with a sample at a place, for which objects and lists are made. Names that are digits are places of lists. */
function withSample(value: JsonValue | undefined, tokens: readonly string[], sample: JsonValue): JsonValue {
  const [token, ...rest] = tokens;
  if (token === undefined) return sample;
  const list = isList(value) ? value : [];
  if (INDEX.test(token) && !isJsonObject(value)) {
    const place = Number(token);
    return withItem(list, place, withSample(list[place], rest, sample));
  }
  return { ...(isJsonObject(value) ? value : {}), [token]: withSample(member(value, token), rest, sample) };
}

/** An answer of a provider in which every output is found. */
function goodResponse({ name, outputs }: CompiledProvider): MockResponse {
  let answer: JsonValue = { headers: { 'content-type': 'application/json' } };
  for (const { name: output, type, from } of outputs) {
    const tokens = from ?? ['body', output];
    if (tokens[0] !== 'status') answer = withSample(answer, tokens, SAMPLES[type]);
  }
  const headers = member(answer, 'headers');
  const texts = Object.entries(headers ?? {}).map(([header, value]) => [header, String(value)] as const);
  const body = member(answer, 'body');
  return { provider: name, status: 200, headers: Object.fromEntries(texts), ...(body === undefined ? {} : { body }) };
}

function sampleInputs({ manifest }: CompiledOrb): JsonObject {
  const samples = Object.entries(manifest.inputs).map(([name, { type = 'string', default: usual }]) => {
    const isPlain = isOfType(usual, type) && !(typeof usual === 'string' && usual.includes('{{'));
    return [name, isPlain ? usual : SAMPLES[type]] as const;
  });
  return Object.fromEntries(samples);
}

function secretsOf({ providers }: CompiledOrb, inputs: JsonObject): Readonly<Record<string, string>> {
  const names = new Set([...providers.values()].flatMap(({ request }) => request.secretsFor(inputs)));
  return Object.fromEntries([...names].toSorted().map((name) => [name, 'test-value']));
}

type Compiled = Pick<TestedOrb, 'orb' | 'allowedOrigins'>;

/** What a simulated run gives, as an expectation. @returns undefined: no run starts with these values */
function expectationOf({ orb, allowedOrigins }: Compiled, item: Omit<TestCase, 'expect'>): JsonObject | undefined {
  const run = mockRun(orb, { ...item, expect: { status: 'completed' } }, allowedOrigins);
  if (run.kind === 'refused') return undefined;
  const { status, outcome, outputs, request } = run.facts;
  if (status !== 'completed') return { status, outcome };
  const asserted = Object.entries(outputs ?? {}).map(
    ([name, value]) => [name, value === null ? { absent: true } : { equals: value }] as const,
  );
  return {
    status,
    ...(asserted.length === 0 ? {} : { outputs: Object.fromEntries(asserted) }),
    ...(request === undefined ? {} : { request: { method: request.method, url: request.url } }),
  };
}

const plain = (responses: readonly MockResponse[]): readonly JsonObject[] =>
  responses.map((response) => ({ ...response }));

/**
 * A first suite for an Orb: a provider that answers well, providers that are down, and a live case. The expectations
 * are what the simulated runs give, with made-up inputs: its author replaces them.
 */
export function firstSuite(tested: Compiled, name: string): JsonObject {
  const { orb } = tested;
  const inputs = sampleInputs(orb);
  const secrets = secretsOf(orb, inputs);
  const providers = [...orb.providers.values()];
  const filled = { suite: name, mode: 'mock', required: true, timeoutMs: undefined, secrets, inputs } as const;
  const cases: readonly (readonly [id: string, responses: readonly MockResponse[]])[] = [
    ['provider-answers', providers.map(goodResponse)],
    ['provider-down', providers.map((provider) => ({ provider: provider.name, status: 503 }))],
  ];
  const mocks = cases.flatMap(([id, responses]) => {
    const expect = expectationOf(tested, { ...filled, name: `${name}/${id}`, responses });
    return expect === undefined ? [] : [{ id, inputs, responses: plain(responses), expect }];
  });
  const outputs = Object.entries(orb.manifest.outputs).map(
    ([output, { type = 'string' }]) => [output, { schema: { type } }] as const,
  );
  const live = {
    id: 'live',
    required: false,
    mode: 'live',
    inputs,
    expect: { status: 'completed', outputs: Object.fromEntries(outputs) },
  };
  return {
    format: 'orbtest/1',
    name,
    orb: orb.orbId.split('@')[0] ?? '',
    ...(Object.keys(secrets).length === 0 ? {} : { defaults: { secrets } }),
    cases: [...mocks, live],
  };
}
