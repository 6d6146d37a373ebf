import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import type { Artefact } from './artefact.ts';
import { isRecord } from '../control-plane/json.ts';
import { schemaNames } from './schema-names.ts';

/** The one schema of something that a program only writes: it needs no check. */
const WRITTEN_ONLY = 'status';

const LENGTH = 'require("ajv/dist/runtime/ucs2length").default';
const EXPORTS = /^"use strict";export const validate = (\w+);export default \1;/;

/** Makes a TypeScript module of Ajv's code, which imports only `core/json-schema/values.ts`. */
function asModule(name: string, code: string): string {
  const found = EXPORTS.exec(code);
  if (found?.[1] === undefined) throw new Error(`Ajv wrote other exports for ${name}.schema.json`);
  const body = code.slice(found[0].length).replaceAll(LENGTH, 'codePointLength');
  if (body.includes('require(')) throw new Error(`the check of ${name}.schema.json needs a module at run time`);
  return `// generated from schemas/${name}.schema.json by hack/generate.ts: do not edit
// @ts-nocheck
import { codePointLength, formats } from '../../core/json-schema/values.ts';
${body}
export const validate = ${found[1]};
`;
}

async function generate(root: string, name: string): Promise<Artefact> {
  const schema: unknown = JSON.parse(await readFile(join(root, `crds/schemas/${name}.schema.json`), 'utf8'));
  if (!isRecord(schema)) throw new TypeError(`${name}.schema.json is no JSON object`);
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    ownProperties: true,
    formats: { 'date-time': () => true },
    code: { source: true, esm: true, formats: _`formats` },
  });
  const text = asModule(name, standalone.default(ajv, ajv.compile(schema)));
  return { path: `crds/validators/${name}.ts`, text };
}

/**
 * Checks of documents from their JSON Schemas: crds/schemas/NAME.schema.json → crds/validators/NAME.ts. They are
 * compiled here, as that takes 20 ms a schema, and no code is made of text when a program runs.
 */
export async function validatorArtefacts(root: string): Promise<readonly Artefact[]> {
  const names = await schemaNames(root);
  return Promise.all(names.filter((name) => name !== WRITTEN_ONLY).map((name) => generate(root, name)));
}
