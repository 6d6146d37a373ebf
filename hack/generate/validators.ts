import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { readSchema, schemaNames } from './schema-files.ts';

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
  const schema = await readSchema(root, name);
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

/** The list of the checks, each with the type of its document. */
async function list(root: string, names: readonly string[]): Promise<Artefact> {
  const documents = await Promise.all(
    names.map(async (name) => ({ name, type: String((await readSchema(root, name))['title']) })),
  );
  const text = `// generated from schemas by hack/generate.ts: do not edit
${documents.map(({ name, type }) => `import type { ${type} } from './${name}.ts';`).join('\n')}
${names.map((name) => `import { validate as ${name} } from './validators/${name}.ts';`).join('\n')}

/** Types of documents, by the name of their schema. */
export interface Documents {
${documents.map(({ name, type }) => `  readonly ${name}: ${type};`).join('\n')}
}

/** Checks of documents, by the name of their schema. */
export const validators = { ${names.join(', ')} };
`;
  // The formatter skips crds: it gets a path outside.
  return { path: 'crds/documents.ts', text: await formatted(root, 'documents.ts', text) };
}

/**
 * Checks of documents from their JSON Schemas: crds/schemas/NAME.schema.json → crds/validators/NAME.ts, and
 * crds/documents.ts with all of them. They are compiled here, as that takes 20 ms a schema, and no code is made of text
 * when a program runs.
 */
export async function validatorArtefacts(root: string): Promise<readonly Artefact[]> {
  const names = await schemaNames(root);
  return Promise.all([...names.map((name) => generate(root, name)), list(root, names)]);
}
