import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Artefact } from './artefact.ts';
import { manifestExtras, orbisetExtras, orbisetRules, pinnedExtras, statusExtras } from './extras.ts';
import { formatted } from './formatted.ts';
import { isRecord, type Json } from '../control-plane/json.ts';
import type { KindSchema } from './reference.ts';
import { toStructural, type CelRule, type Extra, type Source } from './structural.ts';

/** A column of `kubectl get`. Priority 1 is shown by `-o wide` only. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly columns: readonly Column[];
  readonly selectable: readonly string[];
  readonly rules?: readonly CelRule[];
}

const condition = (member: string): string => `.status.conditions[?(@.type=="Ready")].${member}`;
const ready: Column = {
  name: 'Ready',
  type: 'string',
  jsonPath: condition('status'),
  description: 'Whether it works.',
};
const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Age.' };
const reason: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: condition('reason'),
  description: 'Why it is ready or not.',
  priority: 1,
};
const orbId = (jsonPath: string): Column => ({
  name: 'Orb',
  type: 'string',
  jsonPath,
  description: 'The orb_id.',
  priority: 1,
});

// Columns that help a decision come first (packaging.md §2).
const DEFINITIONS: readonly Definition[] = [
  {
    kind: 'Orb',
    plural: 'orbs',
    shortName: 'orb',
    columns: [
      {
        name: 'Provider',
        type: 'string',
        jsonPath: '.status.failover.activeProvider',
        description: 'The provider that runs start with.',
      },
      { name: 'Since', type: 'date', jsonPath: '.status.failover.since', description: 'Since when it is that one.' },
      { name: 'Reason', type: 'string', jsonPath: '.status.failover.reason', description: 'Why it is that one.' },
      ready,
      age,
      orbId('.spec.orb_id'),
      { ...reason, name: 'Ready-Reason' },
      {
        name: 'Digest',
        type: 'string',
        jsonPath: '.status.validDigest',
        description: 'Digest of the manifest that runs.',
        priority: 1,
      },
    ],
    selectable: ['.spec.orb_id', '.spec.provider'],
  },
  {
    kind: 'Orbiset',
    plural: 'orbisets',
    shortName: 'oset',
    columns: [
      ready,
      {
        name: 'Suspended',
        type: 'boolean',
        jsonPath: '.spec.suspended',
        description: 'Whether new runs are refused.',
      },
      age,
      reason,
    ],
    selectable: [],
    rules: orbisetRules,
  },
  {
    kind: 'OrbPublication',
    plural: 'orbpublications',
    shortName: 'opub',
    columns: [
      {
        name: 'Provider',
        type: 'string',
        jsonPath: '.spec.manifest.provider',
        description: 'The provider of the manifest.',
      },
      { name: 'Tier', type: 'string', jsonPath: '.status.certificationTier', description: 'Certification tier.' },
      { name: 'Score', type: 'integer', jsonPath: '.status.reputationScore', description: 'Reputation, 0 to 100.' },
      ready,
      age,
      orbId('.spec.manifest.orb_id'),
      reason,
      {
        name: 'Digest',
        type: 'string',
        jsonPath: '.status.manifestDigest',
        description: 'Digest of the published manifest.',
        priority: 1,
      },
    ],
    selectable: ['.spec.manifest.orb_id', '.spec.manifest.provider'],
  },
];

async function source(root: string, name: string, extras: Readonly<Record<string, Extra>>): Promise<Source> {
  const schema: unknown = JSON.parse(await readFile(join(root, `crds/schemas/${name}.schema.json`), 'utf8'));
  if (!isRecord(schema)) throw new TypeError(`${name}.schema.json is no JSON object`);
  return { schema, extras };
}

const member = (schema: Json, name: string): Json => {
  const { properties } = schema;
  const found = isRecord(properties) ? properties[name] : undefined;
  return isRecord(found) ? found : {};
};

/** Inserts one schema as a member of another: JSON Schema has no form of this that also checks unknown members. */
const withMember = (schema: Json, name: string, value: Json): Json => ({
  ...schema,
  properties: { ...(isRecord(schema['properties']) ? schema['properties'] : {}), [name]: value },
});

/** Specs that are more than the `spec` of their schema. */
async function specs(root: string): Promise<Readonly<Record<string, Json>>> {
  const manifestSource = await source(root, 'manifest', manifestExtras);
  const manifest = toStructural(manifestSource, manifestSource.schema, '');
  const orb = await source(root, 'orb', {});
  const pinned = toStructural({ ...manifestSource, extras: pinnedExtras }, manifestSource.schema, '');
  const orbSpec = toStructural(orb, member(orb.schema, 'spec'), 'properties/spec');
  const orbiset = await source(root, 'orbiset', orbisetExtras);
  const publication = await source(root, 'orbpublication', {});
  const publicationSpec = toStructural(publication, member(publication.schema, 'spec'), 'properties/spec');
  return {
    Orb: withMember(pinned, 'pin', member(orbSpec, 'pin')),
    Orbiset: toStructural(orbiset, member(orbiset.schema, 'spec'), 'properties/spec'),
    OrbPublication: withMember(publicationSpec, 'manifest', manifest),
  };
}

function definition({ kind, plural, shortName, columns, selectable, rules }: Definition, schema: Json): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.orbs.dev`, labels: { 'app.kubernetes.io/part-of': 'orb-platform' } },
    spec: {
      group: 'orbs.dev',
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['orb-platform'],
      },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          ...(selectable.length === 0 ? {} : { selectableFields: selectable.map((jsonPath) => ({ jsonPath })) }),
          schema: {
            openAPIV3Schema: { ...schema, ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }) },
          },
        },
      ],
    },
  };
}

const BANNER = '# generated from crds/schemas by hack/generate.ts: do not edit\n';

/** The kinds with the schemas of their definitions. */
export async function kindSchemas(root: string): Promise<readonly KindSchema[]> {
  const spec = await specs(root);
  const status = await source(root, 'status', statusExtras(DEFINITIONS.map(({ kind }) => kind)));
  return Promise.all(
    DEFINITIONS.map(async ({ kind, shortName, plural }) => {
      const envelope = await source(root, kind.toLowerCase(), {});
      const schema = {
        description: envelope.schema['description'],
        type: 'object',
        required: ['spec'],
        properties: {
          apiVersion: { description: 'orbs.dev/v1alpha1.', type: 'string' },
          kind: { description: `${kind}.`, type: 'string' },
          metadata: { type: 'object' },
          spec: spec[kind] ?? toStructural(envelope, member(envelope.schema, 'spec'), 'properties/spec'),
          status: toStructural(status, member(status.schema, kind), `properties/${kind}`),
        },
      };
      return { kind, shortName, plural, schema };
    }),
  );
}

/** The resource definitions: crds/definitions/KIND.yaml. */
export function definitionArtefacts(root: string, kinds: readonly KindSchema[]): Promise<readonly Artefact[]> {
  return Promise.all(
    DEFINITIONS.map(async (item) => {
      const schema = kinds.find(({ kind }) => kind === item.kind)?.schema ?? {};
      const path = `crds/definitions/${item.kind.toLowerCase()}.yaml`;
      const text = stringify(definition(item, schema), { lineWidth: 0, aliasDuplicateObjects: false });
      return { path, text: await formatted(root, path, BANNER + text) };
    }),
  );
}
