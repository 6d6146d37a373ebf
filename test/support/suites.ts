import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { casesOf, type TestCase } from '../../core/suite/suite.ts';
import { readSuite } from '../../core/suite/read-suite.ts';
import { orbManifest } from './orbs.ts';

/** JSON of a test as the value that a parser gives. */
export function jsonOf(value: unknown): JsonValue {
  const read = readJson(Buffer.from(JSON.stringify(value)));
  if (!read.ok) throw new Error(JSON.stringify(read.findings));
  return read.value;
}

/** A manifest with the input `text`, the output `text` from `/body/text`, the provider `main` and the secret TOKEN. */
export const echoManifest = (manifest: Readonly<Record<string, unknown>> = {}): JsonValue =>
  jsonOf(
    JSON.parse(
      orbManifest('acme.echo@1.0.0', {
        url: 'https://api.example.com/echo',
        secret: 'TOKEN',
        outputs: { text: { type: 'string', from: '/body/text' } },
        manifest,
      }),
    ),
  );

/** The compiled Orb of a manifest. */
export function compiled(manifest: JsonValue): CompiledOrb {
  const orb = compileOrb(manifest, { namespace: 'default', allowedOrigins: [] });
  if (!orb.ok) throw new Error(JSON.stringify(orb.findings));
  return orb.value;
}

type Members = Readonly<Record<string, unknown>>;

/** A mock case that passes with `echoManifest`. */
export const mockCase = (members: Members = {}): Members => ({
  id: 'echo',
  inputs: { text: 'hi' },
  responses: [{ provider: 'main', status: 200, body: { text: 'hi' } }],
  expect: { status: 'completed', outputs: { text: { equals: 'hi' } } },
  ...members,
});

/** A mock case in which the provider is down. */
const downCase: Members = mockCase({
  id: 'down',
  responses: [{ provider: 'main', status: 503 }],
  expect: { status: 'failed', outcome: 'orb_error' },
});

/** A live case. */
export const liveCase = (members: Members = {}): Members => ({
  id: 'live',
  mode: 'live',
  inputs: { text: 'hi' },
  expect: { status: 'completed', outputs: { text: { schema: { type: 'string', minLength: 1 } } } },
  ...members,
});

/** A suite of `echoManifest` without findings, or with other members. */
export const aSuite = (members: Members = {}): JsonObject => {
  const value = jsonOf({
    format: 'orbtest/1',
    name: 'echo',
    orb: 'acme.echo',
    defaults: { secrets: { TOKEN: 'test-value' } },
    cases: [mockCase(), downCase, liveCase()],
    ...members,
  });
  return isJsonObject(value) ? value : {};
};

/** The cases of a suite, with defaults filled in. */
export function casesIn(suite: JsonValue, orb: CompiledOrb): readonly TestCase[] {
  const read = readSuite(suite, orb, '');
  if (!read.ok) throw new Error(JSON.stringify(read.findings));
  return casesOf([read.value]);
}
