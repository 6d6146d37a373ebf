import type { Ledger, PolicyVersion } from '../../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, shapes, text } from '../../http/schemas.ts';

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** How many tests passed and failed when the version was taken over. */
function testsOf({ tests }: PolicyVersion): JsonObject {
  const value: unknown = JSON.parse(tests);
  const { passed, failed } = isJsonObject(value) ? value : {};
  return { passed: isCount(passed) ? passed : 0, failed: isCount(failed) ? failed : 0 };
}

/** A version as lists show it, with its finished replays. */
export async function versionJson(ledger: Pick<Ledger, 'replayTotals'>, version: PolicyVersion): Promise<JsonObject> {
  const { namespace, name, digest, generation, at, by, mode } = version;
  const replays = await ledger.replayTotals(namespace, name, digest);
  return {
    digest,
    generation,
    at: new Date(at).toISOString(),
    by,
    mode,
    tests: testsOf(version),
    replays: replays.map(({ replayId }) => replayId),
  };
}

/** The spec of a version, as it was written. */
export function specOfVersion({ spec }: PolicyVersion): JsonObject {
  const value: unknown = JSON.parse(spec);
  return isJsonObject(value) ? value : {};
}

const members = {
  digest: shapes.digest,
  generation: count('Of the object that had it.'),
  at: shapes.time,
  by: text('Field manager that wrote it, or file:NAME.'),
  mode: { type: 'string', enum: ['Enforce', 'Audit', 'Disabled'] },
  tests: closed({ passed: count('Tests.'), failed: count('Tests.') }),
  replays: { type: 'array', items: { type: 'string' }, description: 'Ids of its finished replays, the newest first.' },
} as const;

/** A version in a list. */
export const versionSchema: JsonSchema = closed(members);

/** One version. */
export const wholeVersionSchema: JsonSchema = closed({
  ...members,
  spec: { type: 'object', description: 'As it was written.' },
});
