import { expect } from 'chai';
import type { Manifest } from '../../../../crds/manifest.ts';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { checkSchema } from '../../../../core/manifest/check-schema.ts';
import type { Finding } from '../../../../core/manifest/finding.ts';
import type { Ontology } from '../../../../core/ontology/ontology.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { aManifest } from '../manifest/a-manifest.ts';

/** Members to write over others; undefined removes one. */
type Changes = Readonly<Record<string, JsonValue | undefined>>;

const defined = (members: Changes): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** A manifest that the ontology has nothing to say about, with changes to it and to its execution. */
export function classifier(members: Changes = {}, execution: Changes = {}): Manifest {
  const checked = checkSchema(
    'manifest',
    aManifest(
      defined({ method: 'POST', body_template: '{"text":"{{inputs.text}}"}', ...execution }),
      defined({
        capabilities: ['text.classify'],
        effect: 'none',
        inputs: { text: { required: true, term: 'text' } },
        outputs: { label: { term: 'label' } },
        ...members,
      }),
    ),
  );
  if (!checked.ok)
    throw new TypeError(checked.findings.map(({ pointer, detail }) => `${pointer} ${detail}`).join(', '));
  return checked.value;
}

/** The ontology of a later version, in which a term and a capability were replaced. */
export const LATER: Ontology = {
  ...ORB_ONTOLOGY,
  version: '1.1.0',
  terms: {
    ...ORB_ONTOLOGY.terms,
    prose: { types: ['string'], sensitivity: 'none', description: 'Text.', deprecated: true, replaced_by: 'text' },
  },
  capabilities: {
    ...ORB_ONTOLOGY.capabilities,
    'text.sort': {
      effect: 'none',
      inputs: ['text'],
      outputs: ['label'],
      description: 'Sorts.',
      deprecated: true,
      replaced_by: 'text.classify',
    },
  },
};

const brief = ({ severity, code, pointer, suggestion }: Finding): string =>
  [severity, code, pointer, ...(suggestion === undefined ? [] : [`→ ${suggestion}`])].join(' ');

/** A manifest with what is found about it, as `severity code pointer → suggestion`: exactly these, in this order. */
export type OntologyRow = readonly [why: string, manifest: Manifest, expected: readonly string[], ontology?: Ontology];

/** One test a row. */
export function checkOntologyRows(
  check: (manifest: Manifest, ontology: Ontology) => readonly Finding[],
  rows: readonly OntologyRow[],
): void {
  for (const [why, manifest, expected, ontology = ORB_ONTOLOGY] of rows)
    it(`finds ${expected.length === 0 ? 'nothing wrong with' : 'what is wrong with'} ${why}`, () => {
      expect(check(manifest, ontology).map(brief)).to.deep.equal(expected);
    });
}
