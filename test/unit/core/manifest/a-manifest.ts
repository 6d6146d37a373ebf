import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { expect } from 'chai';
import type { Finding } from '../../../../core/manifest/finding.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';

/** The mail example of design.md §2 with the specification's members alone. */
export const mail: JsonObject = {
  orb_id: 'acme.send-email@1.0.0',
  provider: 'sendgrid',
  description: 'Sends one e-mail.',
  inputs: {
    recipient: { type: 'string', required: true },
    sender: { type: 'string', default: '{{orbiset.secrets.MAIL_FROM}}' },
    subject: { type: 'string', required: true },
    body: { type: 'string', required: true },
  },
  outputs: { message_id: { type: 'string' }, status: { type: 'string' } },
  execution: {
    type: 'http',
    method: 'POST',
    url: 'https://api.sendgrid.com/v3/mail/send',
    headers: { Authorization: 'Bearer {{orbiset.secrets.SENDGRID_API_KEY}}', 'Content-Type': 'application/json' },
    body_template:
      '{"personalizations":[{"to":[{"email":"{{inputs.recipient}}"}]}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}]}',
  },
};

/** A small manifest with an execution of these members, and other members over it. */
export const aManifest = (execution: JsonObject = {}, members: JsonObject = {}): JsonObject => ({
  orb_id: 'acme.echo@1.0.0',
  provider: 'main',
  description: 'Echoes.',
  inputs: {},
  outputs: {},
  execution: { url: 'https://orbs.example/run', ...execution },
  ...members,
});

/** JSON text as a value, also what an object literal can't say. */
export function json(text: string): JsonValue {
  const result = readJson(new TextEncoder().encode(text));
  if (!result.ok) throw new TypeError(`no JSON: ${text}`);
  return result.value;
}

/** A manifest with what `checkManifest` finds: exactly these, in this order. */
export type Row = readonly [why: string, manifest: JsonValue, expected: readonly string[]];

const brief = ({ severity, code, pointer, suggestion }: Finding): string =>
  [severity, code, pointer, ...(suggestion === undefined ? [] : [`→ ${suggestion}`])].join(' ');

/** Findings as `severity code pointer → suggestion`. */
export const briefs = (value: JsonValue, ...allowedOrigins: readonly string[]): readonly string[] =>
  checkManifest(value, { allowedOrigins }).findings.map(brief);

/** One test a row. */
export function checkRows(rows: readonly Row[]): void {
  for (const [why, manifest, expected] of rows)
    it(`finds ${expected.length === 0 ? 'nothing wrong with' : 'what is wrong with'} ${why}`, () => {
      expect(briefs(manifest)).to.deep.equal(expected);
    });
}

export const without = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));

/** Definition of one more provider. */
export const other: JsonObject = { execution: { url: 'https://b.example/run' } };
