import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';

/** What stands for reports and suites in a cached publication: the digest of everything that is published. */
const PUBLISHED = 'publishedDigest';

const MOST_MEMBERS = 64;

const isSmallObject = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length <= MOST_MEMBERS;

const isSuites = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MOST_MEMBERS && value.every(isSmallObject);

/**
 * A publication as caches keep it (trust.md §8): `spec` without `test_results` and `test_suites`, which are up to 1 MiB
 * each object, and the digest of what is published. A report or suites of another shape than the schema has leave null.
 */
export function withoutReports(publication: KubeObject): KubeObject {
  const { spec } = publication;
  if (!isJsonObject(spec)) return publication;
  const { test_results: results, test_suites: suites, ...kept } = spec;
  return {
    ...publication,
    spec: {
      ...kept,
      ...(results === undefined || isSmallObject(results) ? {} : { test_results: null }),
      ...(suites === undefined || isSuites(suites) ? {} : { test_suites: null }),
    },
    ...(results === undefined
      ? {}
      : { [PUBLISHED]: hash('sha256', JSON.stringify([kept['manifest'], results, suites])) }),
  };
}

/** Hex digest of manifest, report and suites; undefined: it has no report, or is not from `withoutReports`. */
export function publishedDigest(publication: KubeObject): string | undefined {
  const { [PUBLISHED]: digest } = publication;
  return typeof digest === 'string' ? digest : undefined;
}

/** The spec as its schema is checked, whether it was cached or not: a report that was left out is an empty one. */
export function checkedSpec(publication: KubeObject): JsonObject {
  const spec = specOf(publication);
  const isLeftOut = publishedDigest(publication) !== undefined && spec['test_results'] === undefined;
  return isLeftOut ? { ...spec, test_results: {} } : spec;
}
