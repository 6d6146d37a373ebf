import type { AppliedObject } from '../../adapters/kube/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject, ObjectMeta } from '../../core/reconcile/kube-object.ts';

type Members = Readonly<Record<string, unknown>>;

/** Differences of a test object from the default. */
export interface ObjectOptions {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

const created = { generation: 1, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

const resource =
  (kind: string, spec: unknown): ((name: string, options?: ObjectOptions) => KubeObject) =>
  (name, options = {}) => ({
    apiVersion: 'orbs.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'acme', uid: `uid-${name}`, ...created, ...options.metadata },
    spec: 'spec' in options ? options.spec : spec,
    ...('status' in options ? { status: options.status } : {}),
  });

/** A manifest with the provider `main`; given members replace its own. */
export const manifestOf = (members: Members = {}): Members => ({
  orb_id: 'acme.echo@1.0.0',
  provider: 'main',
  description: 'Says what it hears.',
  inputs: { text: { type: 'string', required: true } },
  outputs: { text: { type: 'string' } },
  execution: {
    type: 'http',
    method: 'POST',
    url: 'https://api.example.com/echo',
    headers: { 'Content-Type': 'application/json' },
    body_template: '{"text":"{{inputs.text}}"}',
  },
  ...members,
});

/** `swap_config` from `main` to `other`, with the execution of `other`. */
export const swappable: Members = {
  swap_config: { primary: 'main', fallbacks: ['other'] },
  providers: { other: { execution: { type: 'http', method: 'GET', url: 'https://other.example.com/echo' } } },
};

export const anOrb = resource('Orb', manifestOf());
export const anOrbiset = resource('Orbiset', {});
export const aPublication = resource('OrbPublication', { manifest: manifestOf(), test_results: {} });

const isNamed = (value: unknown): value is { readonly type: string } => isJsonObject(value) && 'type' in value;
const conditions = (status: unknown): readonly { readonly type: string }[] => {
  const { conditions: list } = isJsonObject(status) ? status : {};
  return Array.isArray(list) ? list.filter(isNamed) : [];
};

/**
 * The object after one manager applied its part of the status, as the server merges it. Members are replaced,
 * conditions by type. Members that the manager owned before and leaves out are removed.
 * @param owned types of conditions that this manager may own
 */
export function applied(
  object: KubeObject,
  status: Members | undefined,
  owned: { readonly members: readonly string[]; readonly conditions: readonly string[] },
): KubeObject {
  if (status === undefined) return object;
  const members = Object.entries(isJsonObject(object.status) ? object.status : {});
  const before = Object.fromEntries(members.filter(([name]) => !owned.members.includes(name)));
  const others = conditions(object.status).filter(({ type }) => !owned.conditions.includes(type));
  return { ...object, status: { ...before, ...status, conditions: [...others, ...conditions(status)] } };
}

/** The object as a writer sends it. */
export const sent = (object: KubeObject): AppliedObject => ({ ...object, metadata: { ...object.metadata } });
