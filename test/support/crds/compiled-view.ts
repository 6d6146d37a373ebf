import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { resolveSwapConfig } from '../../../core/failover/resolve-swap-config.ts';
import { checkDocument } from '../../../core/manifest/documents.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import type { CompiledOrb, CompiledProvider } from '../../../core/orb/compiled-orb.ts';
import { compileOrbiset } from '../../../core/orb/compile-orbiset.ts';
import { API_MANAGER, failoverPinIn } from '../../../core/orb/plan-pin.ts';
import type { CompiledRequest } from '../../../core/template/compiled-request.ts';

/** The result of compiling a spec, as far as it can be compared. */
export interface Compiled {
  readonly findings: readonly Finding[];
  /** The platform's behaviour for the spec, as JSON. */
  readonly behaviour: string;
  /** Digest of the document; '' for an Orbiset. */
  readonly digest: string;
}

type Spec = Readonly<Record<string, unknown>>;

const INPUTS: readonly JsonValue[] = [{}, { text: 'x' }, { text: 7 }];

const plain = (_key: string, value: unknown): unknown => {
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return value;
};

const requestView = (request: CompiledRequest): unknown => ({
  ...request,
  sealed: [request.seal({}), request.seal({ text: 'x' })],
});

const providerView = (provider: CompiledProvider): unknown => ({
  ...provider,
  request: requestView(provider.request),
  probe: provider.probe === undefined ? undefined : { ...provider.probe, request: requestView(provider.probe.request) },
});

/**
 * Without the manifest itself, its digest and its findings: they change with every member, even if it has no reader.
 */
function orbView({ manifest, digest: _digest, jcs: _jcs, findings: _findings, ...orb }: CompiledOrb): unknown {
  return {
    ...orb,
    providers: [...orb.providers.values()].map(providerView),
    verdicts: INPUTS.map((inputs) => orb.checkInputs(inputs)),
    swap: resolveSwapConfig(manifest),
  };
}

const envelope = (kind: string, spec: Spec): JsonValue => {
  const document: unknown = { apiVersion: 'orbs.dev/v1alpha1', kind, metadata: { name: 'a', namespace: 'acme' }, spec };
  return isJsonObject(document) ? document : {};
};

/** The pin as the feed takes it, written by the API: only then its actor counts. */
function pinView(spec: Spec): unknown {
  const members = isJsonObject(spec['pin']) ? Object.keys(spec['pin']) : [];
  const fields = Object.fromEntries(members.map((member) => [`f:${member}`, {}]));
  const entry = { manager: API_MANAGER, operation: 'Apply', fieldsV1: { 'f:spec': { 'f:pin': fields } } };
  const metadata = { name: 'a', namespace: 'acme', managedFields: [entry] };
  return failoverPinIn({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata, spec });
}

/** @throws TypeError it is not valid: a row must change a member from one valid value to another */
export function compiledOrb(spec: Spec): Compiled {
  const checked = checkDocument(envelope('Orb', spec));
  if (!checked.ok || checked.value.kind !== 'Orb') throw new TypeError(JSON.stringify(checked.findings));
  const compiled = compileOrb(checked.value.manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  const findings = compiled.findings.map((finding) => ({ ...finding, pointer: `/spec${finding.pointer}` }));
  return {
    findings: [...checked.findings, ...findings],
    behaviour: JSON.stringify([orbView(compiled.value), pinView(spec)], plain),
    digest: compiled.value.digest,
  };
}

const SECRETS: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>> = new Map([
  ['mail', new Map([['TOKEN', Buffer.from('a-token-of-the-mail')]])],
  [
    'more',
    new Map([
      ['TOKEN', Buffer.from('another-token')],
      ['FROM', Buffer.from('me@example.com')],
    ]),
  ],
]);

/** @throws TypeError it is not valid */
export function compiledOrbiset(spec: Spec): Compiled {
  const checked = checkDocument(envelope('Orbiset', spec));
  if (!checked.ok || checked.value.kind !== 'Orbiset') throw new TypeError(JSON.stringify(checked.findings));
  const sources = { ...checked.value, secret: (name: string) => SECRETS.get(name), extra: [] };
  const { redactor: _redactor, ...orbiset } = compileOrbiset(sources).orbiset;
  return { findings: checked.findings, behaviour: JSON.stringify(orbiset, plain), digest: '' };
}
