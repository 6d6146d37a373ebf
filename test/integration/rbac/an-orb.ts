import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';

const FILE = join(resolve(import.meta.dirname, '../../..'), 'manifests/echo.yaml');

/** The manifest of the example Orb. */
export function exampleManifest(): JsonObject {
  const [document] = parseDocuments(readFileSync(FILE, 'utf8'), 'yaml');
  if (document?.ok !== true || !isJsonObject(document.value)) throw new TypeError(`${FILE} is no manifest`);
  return document.value;
}

/** An Orb document that holds it. */
export const exampleOrb = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { ...metadata, name },
  spec: exampleManifest(),
});
