import { expect } from 'chai';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { objectAt } from '../../../../core/json/members.ts';
import { checkManifestForPublication } from '../../../../core/publication/check-manifest.ts';
import { json, mail, without } from '../manifest/a-manifest.ts';

const codesOf = (value: JsonValue): Readonly<Record<string, unknown>> => {
  const { orb, schema, ontology } = checkManifestForPublication(value, { namespace: 'default', allowedOrigins: [] });
  const codes = (findings: typeof schema): readonly string[] => findings.map(({ code }) => code);
  return { id: orb?.orbId, schema: codes(schema), ontology: codes(ontology) };
};

describe('checkManifestForPublication', () => {
  const rows: readonly [
    why: string,
    manifest: JsonValue,
    id: string | undefined,
    schema: string[],
    ontology: string[],
  ][] = [
    ['the specification’s members alone', mail, 'acme.send-email@1.0.0', [], ['ontology-no-capability']],
    ['a manifest that the schema refuses', without(mail, 'provider'), undefined, ['schema-required'], []],
    [
      'a provider’s output that the Orb lacks',
      { ...mail, providers: { b: { execution: { url: 'https://b.example/' }, outputs: { id: {} } } } },
      undefined,
      ['schema-additionalProperties'],
      ['ontology-no-capability', 'ontology-effect-method'],
    ],
    ['null', { ...mail, description: json('null') }, undefined, [], ['manifest-null']],
    [
      'faults of both kinds of rules',
      { ...mail, capabilities: ['mail.send'], execution: { ...objectAt(mail, 'execution'), slo_ms: 60_000 } },
      undefined,
      [],
      ['manifest-slo', 'ontology-unknown-term'],
    ],
    [
      'an unknown term alone: it compiles',
      { ...mail, capabilities: ['mail.send'] },
      'acme.send-email@1.0.0',
      [],
      ['ontology-unknown-term'],
    ],
  ];
  for (const [why, manifest, id, schema, ontology] of rows)
    it(`sorts what is found by stage: ${why}`, () => {
      expect(codesOf(manifest)).to.deep.equal({ id, schema, ontology });
    });
});
