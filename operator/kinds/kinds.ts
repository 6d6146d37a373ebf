import type { Concern, OperatorKind } from './kind.ts';
import { orbKind } from './orb/kind.ts';
import { orbisetKind } from './orbiset/kind.ts';
import { policyKind } from './policy/kind.ts';
import { publicationKind } from './publication/kind.ts';
import { roleBindingKind } from './role-binding/kind.ts';
import { signalSourceKind } from './signal-source/kind.ts';

/** Every kind that the operator watches. */
export const OPERATOR_KINDS = [
  orbKind,
  orbisetKind,
  policyKind,
  publicationKind,
  roleBindingKind,
  signalSourceKind,
] as const;

/** Names of the caches. */
export type KindName = (typeof OPERATOR_KINDS)[number]['name'];

/** Names of the controllers' queues. */
export type ConcernName = (typeof OPERATOR_KINDS)[number]['concerns'][number]['name'];

type NamedParts<T> = Readonly<Record<string, T>>;

function hasEveryKind<T>(parts: NamedParts<T>): parts is NamedParts<T> & Readonly<Record<KindName, T>> {
  return OPERATOR_KINDS.every(({ name }) => Object.hasOwn(parts, name));
}

function hasEveryConcern<T>(parts: NamedParts<T>): parts is NamedParts<T> & Readonly<Record<ConcernName, T>> {
  return OPERATOR_KINDS.every(({ concerns }) => concerns.every(({ name }) => Object.hasOwn(parts, name)));
}

/** Makes one part for each kind, by the kind's name. */
export function forEachKind<T>(make: (kind: OperatorKind<KindName, ConcernName>) => T): Readonly<Record<KindName, T>> {
  const parts = Object.fromEntries(OPERATOR_KINDS.map((kind) => [kind.name, make(kind)]));
  if (!hasEveryKind(parts)) throw new TypeError('a kind is missing');
  return parts;
}

/** Makes one part for each concern of each kind, by the concern's name. */
export function forEachConcern<T>(
  make: (concern: Concern<ConcernName>, kind: OperatorKind<KindName, ConcernName>) => T,
): Readonly<Record<ConcernName, T>> {
  const parts = Object.fromEntries(
    OPERATOR_KINDS.flatMap((kind) =>
      kind.concerns.map((concern: Concern<ConcernName>) => [concern.name, make(concern, kind)] as const),
    ),
  );
  if (!hasEveryConcern(parts)) throw new TypeError('a concern is missing');
  return parts;
}
