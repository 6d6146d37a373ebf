import { isRecord, type Json } from '../control-plane/json.ts';
import type { Resource } from './resources.ts';
import { readSchema } from './schema-files.ts';
import type { Extra } from './structural.ts';

/** Place of the status of a kind among the definitions: `OrbPublication` → `orbPublicationStatus`. */
const placeOf = (kind: string): string => `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Status`;

const record = (value: unknown): Json => (isRecord(value) ? value : {});

/** Joins definitions of several schemas. A name that two of them have would be the definition of one of the two. */
function joined(parts: readonly Json[]): Json {
  const entries = parts.flatMap((part) => Object.entries(part));
  const repeated = entries.map(([name]) => name).find((name, index, names) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new TypeError(`two status schemas define ${repeated}`);
  return Object.fromEntries(entries);
}

/** One schema with the status of each kind: its own members of status/KIND.schema.json between those of all kinds. */
export async function statusSchema(root: string, resources: readonly Resource[]): Promise<Json> {
  const common = await readSchema(root, 'status/common');
  const { conditions, ...first } = record(common['properties']);
  const parts = await Promise.all(
    resources.map(async ({ kind, name }) => {
      const { $schema: _, $id: _id, $defs, ...own } = await readSchema(root, `status/${name}`);
      const properties = { ...first, ...record(own['properties']), conditions };
      return joined([{ [placeOf(kind)]: { ...own, properties } }, record($defs)]);
    }),
  );
  return {
    title: 'StatusByKind',
    description: 'The status of each kind, written by the platform only (security.md §6.1).',
    type: 'object',
    properties: Object.fromEntries(resources.map(({ kind }) => [kind, { $ref: `#/$defs/${placeOf(kind)}` }])),
    additionalProperties: false,
    $defs: joined([record(common['$defs']), ...parts]),
  };
}

/**
 * Extras of `statusSchema`. kstatus treats an object without conditions as finished. So a new object says from its
 * creation that its generation is not observed yet (packaging.md §3).
 */
export const statusExtras = (resources: readonly Resource[]): Readonly<Record<string, Extra>> =>
  Object.fromEntries(
    resources
      .map(({ kind }) => `$defs/${placeOf(kind)}`)
      .flatMap((place): readonly (readonly [string, Extra])[] => [
        [place, { default: {} }],
        [`${place}/properties/observedGeneration`, { default: 0 }],
        [`${place}/properties/conditions`, { mapKeys: ['type'] }],
      ]),
  );
