import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { isRecord, type Json } from '../../../../hack/control-plane/json.ts';
import { readResources } from '../../../../hack/generate/resources.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** Patterns of schemas that an admission policy checks, because no rule of the resource definition can. */
const CHECKED: readonly (readonly [kind: string, place: readonly (string | number)[], policy: string])[] = [
  ['orbiset', ['$defs', 'secretBinding', 'properties', 'keys', 'oneOf', 0, 'items'], 'vault-keys'],
  ['orbiset', ['$defs', 'secretBinding', 'properties', 'keys', 'oneOf', 1, 'propertyNames'], 'vault-keys'],
  ['orbiset', ['$defs', 'secretBinding', 'properties', 'keys', 'oneOf', 1, 'additionalProperties'], 'vault-keys'],
  ['orbpolicy', ['$defs', 'obligation', 'properties', 'hosts', 'items'], 'policy-hosts'],
];

const at = (schema: Json, place: readonly (string | number)[]): unknown =>
  place.reduce<unknown>((found, name) => {
    if (Array.isArray(found)) return found[Number(name)];
    return isRecord(found) ? found[String(name)] : undefined;
  }, schema);

async function patternAt(kind: string, place: readonly (string | number)[]): Promise<RegExp> {
  const resource = (await readResources(ROOT)).find(({ name }) => name === kind);
  const found = resource === undefined ? undefined : at(resource.schema, place);
  return new RegExp(isRecord(found) ? String(found['pattern']) : 'no schema');
}

function patternsOf(policy: string): readonly RegExp[] {
  const text = readFileSync(`${ROOT}/charts/orb-platform/files/admission/${policy}.yaml`, 'utf8');
  return [...text.matchAll(/matches\(r?'([^']+)'\)/g)].map(([, pattern = '']) => new RegExp(pattern));
}

// Letters and signs that occur in the patterns, and some that do not.
const texts = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', '.', '*', 'A', '_', ' ', '/'), maxLength: 8 });

describe('patterns of admission policies', () => {
  for (const [kind, place, policy] of CHECKED)
    it(`fit the same texts as ${kind} ${place.join('/')}`, async () => {
      const pattern = await patternAt(kind, place);
      const checked = patternsOf(policy);
      expect(checked).to.not.deep.equal([]);
      for (const one of checked)
        fc.assert(
          fc.property(texts, (text) => one.test(text) === pattern.test(text)),
          { numRuns: 20_000 },
        );
    });
});
