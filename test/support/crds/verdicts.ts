import { Agent, request } from 'undici';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { sourceFindings } from '../../../core/ingestion/source/source-rules.ts';
import { checkSchema } from '../../../core/manifest/check-schema.ts';
import { checkDocument, type Resource } from '../../../core/manifest/documents.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { definePolicy } from '../../../core/policy/document/definition.ts';
import { lintDocument } from '../../../core/policy/document/lint-document.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';

/** The verdict of one side about a document. */
export interface Verdict {
  readonly accepted: boolean;
  /** For core: `code pointer` of each error. For the server: its message. */
  readonly errors: readonly string[];
}

const errorsOf = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ code, pointer }) => `${code} ${pointer}`);
const verdict = (ok: boolean, findings: readonly Finding[]): Verdict => ({ accepted: ok, errors: errorsOf(findings) });

function ofManifest(value: JsonValue): Verdict {
  const compiled = compileOrb(value, { namespace: 'corpus', allowedOrigins: [] });
  return verdict(compiled.ok, compiled.findings);
}

/** The verdict of `planPublication`. */
function ofPublication(value: JsonObject): Verdict {
  const checked = checkSchema('orbpublication', value);
  if (!checked.ok) return verdict(false, checked.findings);
  const spec = value['spec'] ?? null;
  return ofManifest((isJsonObject(spec) ? spec['manifest'] : undefined) ?? null);
}

/** Of the findings beside the schema, those about names are the ones that the server has rules for. */
function ofPolicy({ namespace, name, spec }: Extract<Resource, { readonly kind: 'OrbPolicy' }>): Verdict {
  const found = lintDocument(definePolicy(namespace, name, spec), 0).filter(({ code }) => code === 'duplicate-name');
  return verdict(found.length === 0, found);
}

/** Without the compiler of expressions, which the server has none of. */
function ofSource({ spec }: Extract<Resource, { readonly kind: 'OrbSignalSource' }>): Verdict {
  const found = sourceFindings(spec, false);
  return verdict(found.length === 0, found);
}

function ofResource(resource: Resource): Verdict {
  switch (resource.kind) {
    case 'OrbPolicy':
      return ofPolicy(resource);
    case 'OrbSignalSource':
      return ofSource(resource);
    case 'Orb':
      return ofManifest(resource.manifest);
    case 'Orbiset':
    case 'Secret':
      return verdict(true, []);
    default:
      return resource satisfies never;
  }
}

/** Core's verdict on a document in JSON text: the same as that of the loader, `orb validate` and the controllers. */
export function coreVerdict(text: string): Verdict {
  const [parsed] = parseDocuments(text, 'json');
  if (parsed?.ok !== true) return verdict(false, parsed?.findings ?? []);
  const { value } = parsed;
  if (isJsonObject(value) && value['kind'] === 'OrbPublication') return ofPublication(value);
  const checked = checkDocument(value);
  if (!checked.ok) return verdict(false, checked.findings);
  return ofResource(checked.value);
}

const PLURALS: Readonly<Record<string, string>> = {
  Orb: 'orbs',
  Orbiset: 'orbisets',
  OrbPolicy: 'orbpolicies',
  OrbPublication: 'orbpublications',
  OrbSignalSource: 'orbsignalsources',
};
const REFUSED = [400, 422];
/** The server checks it after the schema, only for valid documents: an administrator may not name an actor either. */
const POLICY = "ValidatingAdmissionPolicy 'orb-pin-actor'";

/** Gets the verdict of an API server on documents; nothing is stored. */
export interface ServerJudge {
  /** @param text JSON of one document of `kind` */
  readonly verdict: (kind: string, text: string) => Promise<Verdict>;
  readonly close: () => Promise<void>;
}

export function openJudge(plane: ControlPlane, namespace: string): ServerJudge {
  const agent = new Agent({ connect: { ca: plane.ca }, connections: 8 });
  const verdictOf = async (kind: string, text: string): Promise<Verdict> => {
    const path = `/apis/orbs.dev/v1alpha1/namespaces/${namespace}/${PLURALS[kind] ?? kind}`;
    const { statusCode, body } = await request(`${plane.server.url}${path}?dryRun=All&fieldValidation=Strict`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${plane.users.admin.token}`, 'content-type': 'application/json' },
      body: text,
    });
    const answer = await body.text();
    if (statusCode === 201 || (statusCode === 403 && answer.includes(POLICY))) return { accepted: true, errors: [] };
    if (!REFUSED.includes(statusCode)) throw new Error(`The API server answered ${statusCode}: ${answer}`);
    const status: unknown = JSON.parse(answer);
    const message =
      typeof status === 'object' && status !== null && 'message' in status ? String(status.message) : answer;
    return { accepted: false, errors: [message] };
  };
  return { verdict: verdictOf, close: () => agent.close() };
}
