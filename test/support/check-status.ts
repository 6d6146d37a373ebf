import { Ajv2020 } from 'ajv/dist/2020.js';
import { join } from 'node:path';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { readResources } from '../../hack/generate/resources.ts';
import { statusSchema } from '../../hack/generate/status.ts';

const ROOT = join(import.meta.dirname, '../..');
const schema = await statusSchema(ROOT, await readResources(ROOT));
const validate = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema);

/** @returns where a status does not fit the schema of its kind; empty: it fits */
export function checkStatus(kind: string, { status }: KubeObject): readonly string[] {
  if (validate({ [kind]: JSON.parse(JSON.stringify(status)) as unknown })) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}
