import type { ObjectMeta, Pin } from '../../crds/orb.ts';
import type { OrbisetSpec } from '../../crds/orbiset.ts';
import type { OrbPolicySpec } from '../../crds/orbpolicy.ts';
import type { OrbSignalSourceSpec } from '../../crds/orbsignalsource.ts';
import type { Secret } from '../../crds/secret.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { isTooDeep, MAX_DEPTH } from '../json/too-deep.ts';
import { policyFindings } from './policies.ts';
import { childPointer } from './child-pointer.ts';
import { checkSchema } from './check-schema.ts';
import type { Checked, Finding } from './finding.ts';
import { parseOrbId } from './orb-id.ts';
import { resourceName } from './resource-name.ts';

/** Namespace, name and labels of a resource. A namespace is a tenant. */
interface Named {
  readonly namespace: string;
  readonly name: string;
  /** Absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A document that the platform reads. */
export type Resource =
  | (Named & {
      /** An Orb, or a bare manifest, which becomes the same Orb as with the manifest loader. */
      readonly kind: 'Orb';
      /** The manifest without `pin`, as the digest covers it. Not checked yet: `compileOrb` checks it. */
      readonly manifest: JsonObject;
      /** Place of the manifest in the document; pointers of its findings are relative to it. */
      readonly pointer: '' | '/spec';
      readonly pin: Pin | undefined;
    })
  | (Named & { readonly kind: 'Orbiset'; readonly spec: OrbisetSpec })
  | (Named & {
      readonly kind: 'OrbPolicy';
      /** As its schema allows. Not compiled yet: `judgePolicy` does that. */
      readonly spec: OrbPolicySpec;
    })
  | (Named & {
      readonly kind: 'OrbSignalSource';
      /** As its schema allows. Not compiled yet: `judgeSource` does that. */
      readonly spec: OrbSignalSourceSpec;
    })
  | (Named & {
      readonly kind: 'Secret';
      /** Decoded values by key; `stringData` wins over `data`, as on a cluster. */
      readonly data: ReadonlyMap<string, Uint8Array>;
    });

/** Namespace of bare manifests (design.md §7) and of documents that name no namespace. */
export const DEFAULT_NAMESPACE = 'default';
// RFC 4648 §4 with padding, as Kubernetes accepts it. Like there, line breaks are allowed.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});
const refused = (...findings: readonly Finding[]): Checked<never> => ({ ok: false, findings });
const labelled = (labels: Named['labels'] = {}): Pick<Named, 'labels'> =>
  Object.keys(labels).length === 0 ? {} : { labels };
const named = ({ name, namespace = DEFAULT_NAMESPACE, labels }: ObjectMeta): Named => ({
  namespace,
  name,
  ...labelled(labels),
});
const accepted = (value: Resource): Checked<Resource> => ({ ok: true, value, findings: [] });

function checkBareManifest(manifest: JsonObject): Checked<Resource> {
  const { orb_id: text } = manifest;
  const id = typeof text === 'string' ? parseOrbId(text) : undefined;
  if (id?.ok !== true)
    return refused(
      error('orb-id-malformed', '/orb_id', 'Write {org}.{name}@{semver}, for example acme.send-email@1.0.0.'),
    );
  const name = resourceName(id.value);
  return accepted({ kind: 'Orb', namespace: DEFAULT_NAMESPACE, name, manifest, pointer: '', pin: undefined });
}

/** Whether a spec defines a provider. The rest of the spec has not been checked yet. */
function isDefined(spec: JsonValue | undefined, name: string): boolean {
  if (!isJsonObject(spec)) return false;
  const { provider, providers } = spec;
  return provider === name || (isJsonObject(providers) && Object.hasOwn(providers, name));
}

function checkOrb(value: JsonObject): Checked<Resource> {
  const checked = checkSchema('orb', value);
  if (!checked.ok) return checked;
  const { metadata, spec } = checked.value;
  const { pin } = spec;
  if (pin !== undefined && !isDefined(value['spec'], pin.provider)) {
    const detail = 'This manifest defines no such provider; name its provider, or one of providers.';
    return refused(error('pin-provider-unknown', '/spec/pin/provider', detail));
  }
  const manifest = withoutPin(isJsonObject(value['spec']) ? value['spec'] : {});
  return accepted({ kind: 'Orb', ...named(metadata), manifest, pointer: '/spec', pin });
}

function boundTwice({ vault }: OrbisetSpec): readonly Finding[] {
  const names = (vault?.secrets ?? []).map(({ name }) => name);
  const detail = 'This Secret is bound twice; bind it once, or put values for other hosts into another Secret.';
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [error('secret-bound-twice', `/spec/vault/secrets/${index}/name`, detail)],
  );
}

function checkOrbiset(value: JsonObject): Checked<Resource> {
  const checked = checkSchema('orbiset', value);
  if (!checked.ok) return refused(...checked.findings, ...policyFindings(value['spec']));
  const { metadata, spec } = checked.value;
  const twice = boundTwice(spec);
  return twice.length > 0 ? refused(...twice) : accepted({ kind: 'Orbiset', ...named(metadata), spec });
}

function checkPolicy(value: JsonObject): Checked<Resource> {
  const checked = checkSchema('orbpolicy', value);
  if (!checked.ok) return checked;
  const { metadata, spec } = checked.value;
  return accepted({ kind: 'OrbPolicy', ...named(metadata), spec });
}

function checkSource(value: JsonObject): Checked<Resource> {
  const checked = checkSchema('orbsignalsource', value);
  if (!checked.ok) return checked;
  const { metadata, spec } = checked.value;
  return accepted({ kind: 'OrbSignalSource', ...named(metadata), spec });
}

function decodeSecret({ data = {}, stringData = {} }: Secret): Checked<ReadonlyMap<string, Uint8Array>> {
  const packed = Object.entries(data).map(([key, value]) => ({ key, text: value.replaceAll(/[\r\n]/g, '') }));
  const broken = packed.filter(({ text }) => !BASE64.test(text));
  if (broken.length > 0) {
    const detail = 'The value is not base64; encode it, or write it under stringData.';
    return refused(...broken.map(({ key }) => error('secret-not-base64', childPointer('/data', key), detail)));
  }
  const decoded = packed.map(({ key, text }) => [key, new Uint8Array(Buffer.from(text, 'base64'))] as const);
  const encoder = new TextEncoder();
  const plain = Object.entries(stringData).map(([key, text]) => [key, encoder.encode(text)] as const);
  return { ok: true, value: new Map([...decoded, ...plain]), findings: [] };
}

function checkSecret(value: JsonObject): Checked<Resource> {
  const checked = checkSchema('secret', value);
  if (!checked.ok) return checked;
  const data = decodeSecret(checked.value);
  return data.ok ? accepted({ kind: 'Secret', ...named(checked.value.metadata), data: data.value }) : data;
}

/** An Orbiset whose spec was not checked, or was refused. */
export type UncheckedOrbiset = Named & { readonly kind: 'Orbiset'; readonly spec: JsonObject };

/** A manifest in a document that `checkDocument` refuses. */
export interface RefusedManifest {
  readonly manifest: JsonObject;
  /** Place of the manifest in the document. */
  readonly pointer: '' | '/spec';
}

/**
 * The manifest of a document that `checkDocument` refuses. It never runs; what else is wrong with it can be told at once.
 * @returns undefined when the document holds no manifest
 */
export function refusedManifest(value: JsonValue): RefusedManifest | undefined {
  if (!isJsonObject(value) || isTooDeep(value)) return undefined;
  const { kind, spec } = value;
  if (kind === undefined && (Object.hasOwn(value, 'orb_id') || Object.hasOwn(value, 'execution')))
    return { manifest: value, pointer: '' };
  if (kind !== 'Orb' || !isJsonObject(spec)) return undefined;
  return { manifest: withoutPin(spec), pointer: '/spec' };
}

const withoutPin = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => name !== 'pin'));

function textsIn(labels: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(labels) ? Object.entries(labels) : [];
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/**
 * The Orbiset of a document that `checkDocument` refuses. As on a cluster, it counts as an invalid generation: the last
 * valid version keeps running. A suspension or policies in the refused document still apply.
 * @returns undefined when the document does not show which Orbiset it describes
 */
export function refusedOrbiset(value: JsonValue): UncheckedOrbiset | undefined {
  if (!isJsonObject(value) || value['kind'] !== 'Orbiset' || isTooDeep(value)) return undefined;
  const { metadata, spec } = value;
  if (!isJsonObject(metadata) || !isJsonObject(spec)) return undefined;
  const { name, namespace = DEFAULT_NAMESPACE } = metadata;
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  return { kind: 'Orbiset', namespace, name, ...labelled(textsIn(metadata['labels'])), spec };
}

const checks: ReadonlyMap<string, (value: JsonObject) => Checked<Resource>> = new Map([
  ['Orb', checkOrb],
  ['Orbiset', checkOrbiset],
  ['OrbPolicy', checkPolicy],
  ['OrbSignalSource', checkSource],
  ['Secret', checkSecret],
]);

/**
 * Finds the kind of a parsed document (design.md §2) and checks its envelope by its schema. A document is a bare
 * manifest (`orb_id` and no `kind`), an Orb, an Orbiset, an OrbPolicy, an OrbSignalSource or a Secret.
 * @param value a result of `parseDocuments`, without null and without unsafe names
 * @returns the resource, or findings: those of the schema, `orb-id-malformed`, `pin-provider-unknown`,
 *   `secret-bound-twice`, `policies-unreadable`, `secret-not-base64`, `document-unknown`
 */
export function checkDocument(value: JsonValue): Checked<Resource> {
  if (!isJsonObject(value)) return refused(error('document-unknown', '', 'A document is an object.'));
  if (isTooDeep(value))
    return refused(error('too-deep', '', `The document has more than ${MAX_DEPTH} levels; make it flatter.`));
  const { kind } = value;
  if (kind === undefined && Object.hasOwn(value, 'orb_id')) return checkBareManifest(value);
  const check = typeof kind === 'string' ? checks.get(kind) : undefined;
  if (check !== undefined) return check(value);
  const detail =
    kind === 'OrbPublication'
      ? 'A publication is no file here: orb publish MANIFEST tests and publishes it. On a cluster, apply it with kubectl.'
      : 'Write a manifest (orb_id, provider, inputs, outputs, execution), an Orb, an Orbiset, an OrbPolicy, an OrbSignalSource or a Secret.';
  return refused(error('document-unknown', kind === undefined ? '' : '/kind', detail));
}
