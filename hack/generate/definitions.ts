import { stringify } from 'yaml';
import type { Artefact } from './artefact.ts';
import { pinExtras, pinnedExtras, publishedExtras } from './extras.ts';
import { formatted } from './formatted.ts';
import { isRecord, type Json } from '../control-plane/json.ts';
import type { KindSchema } from './reference.ts';
import type { Resource } from './resources.ts';
import { readSchema } from './schema-files.ts';
import { statusExtras, statusSchema } from './status.ts';
import { toStructural, type Extra, type Source } from './structural.ts';

const source = async (root: string, name: string, extras: Readonly<Record<string, Extra>>): Promise<Source> => ({
  schema: await readSchema(root, name),
  extras,
  inWords: true,
});

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

/** Specs that hold a manifest, which is a schema of its own. */
async function specs(root: string, resources: readonly Resource[]): Promise<Readonly<Record<string, Json>>> {
  const manifestSource = await source(root, 'manifest', publishedExtras);
  const manifest = toStructural(manifestSource, manifestSource.schema, '');
  const orb = await source(root, 'orb', pinExtras);
  const pinned = toStructural({ ...manifestSource, extras: pinnedExtras }, manifestSource.schema, '');
  const orbSpec = toStructural(orb, member(orb.schema, 'spec'), 'properties/spec');
  const { extras = {} } = resources.find(({ kind }) => kind === 'OrbPublication') ?? {};
  const publication = await source(root, 'orbpublication', extras);
  const publicationSpec = toStructural(publication, member(publication.schema, 'spec'), 'properties/spec');
  return {
    Orb: withMember(pinned, 'pin', member(orbSpec, 'pin')),
    OrbPublication: withMember(publicationSpec, 'manifest', manifest),
  };
}

function definition(resource: Resource, schema: Json): Json {
  const { kind, group, version, plural, shortName, columns, selectable = [], extras } = resource;
  const rules = extras?.['']?.rules;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'app.kubernetes.io/part-of': 'orb-platform' } },
    spec: {
      group,
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
          name: version,
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
export async function kindSchemas(root: string, resources: readonly Resource[]): Promise<readonly KindSchema[]> {
  const spec = await specs(root, resources);
  const status = { schema: await statusSchema(root, resources), extras: statusExtras(resources) };
  return resources.map((resource) => {
    const { kind, group, version, schema: envelope, extras = {} } = resource;
    const schema = {
      description: envelope['description'],
      type: 'object',
      required: ['spec'],
      properties: {
        apiVersion: { description: `${group}/${version}.`, type: 'string' },
        kind: { description: `${kind}.`, type: 'string' },
        metadata: { type: 'object' },
        spec:
          spec[kind] ??
          toStructural({ schema: envelope, extras, inWords: true }, member(envelope, 'spec'), 'properties/spec'),
        status: toStructural(status, member(status.schema, kind), `properties/${kind}`),
      },
    };
    return { resource, schema };
  });
}

/** The resource definitions: crds/definitions/KIND.yaml. */
export function definitionArtefacts(root: string, kinds: readonly KindSchema[]): Promise<readonly Artefact[]> {
  return Promise.all(
    kinds.map(async ({ resource, schema }) => {
      const path = `crds/definitions/${resource.name}.yaml`;
      const text = stringify(definition(resource, schema), { lineWidth: 0, aliasDuplicateObjects: false });
      return { path, text: await formatted(root, path, BANNER + text) };
    }),
  );
}
