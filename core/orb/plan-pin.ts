import type { Pin } from '../../crds/orb.ts';
import { failoverPinOf } from '../failover/pin.ts';
import { MAX_PIN_HOURS, pinEnd } from '../failover/pin-end.ts';
import type { FailoverPin, FailoverStatus } from '../failover/types.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import type { WantedCondition } from '../reconcile/conditions.ts';

const TIME = '/spec/pin/expires_at';

/** Field manager of the pins that our API writes (security.md §6.1). */
export const API_MANAGER = 'orb-api-pin';

type ReadPin =
  | { readonly kind: 'none' }
  | { readonly kind: 'pin'; readonly pin: Pin }
  | { readonly kind: 'malformed'; readonly reason: 'PinMalformed' | 'PinTimeInvalid'; readonly message: string };

/** Result of a pin at one moment. */
interface JudgedPin {
  /** Absent without a pin. */
  readonly condition: WantedCondition | undefined;
  /** Ms since epoch of the next moment at which the answer changes by itself. */
  readonly changesAt: number | undefined;
}

function readPin(orb: KubeObject): ReadPin {
  const { pin: value } = specOf(orb);
  if (value === undefined) return { kind: 'none' };
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'pin' }, spec: { pin: value } };
  const checked = checkSchema('orb', envelope);
  if (!checked.ok) {
    const isTime = checked.findings.every(({ pointer, code }) => pointer === TIME && code !== 'schema-required');
    const reason = isTime ? 'PinTimeInvalid' : 'PinMalformed';
    return { kind: 'malformed', reason, message: explainFindings(checked.findings, '') };
  }
  const { pin } = checked.value.spec;
  if (pin === undefined) return { kind: 'none' };
  if (Number.isNaN(Date.parse(pin.expires_at))) {
    const message = 'spec.pin.expires_at: There is no such time; write 2026-01-31T12:00:00Z.';
    return { kind: 'malformed', reason: 'PinTimeInvalid', message };
  }
  return { kind: 'pin', pin };
}

/**
 * The pin of an Orb as `compileOrb` expects it. An unreadable pin is ignored.
 * @returns undefined without a pin, and for a malformed pin
 */
export function pinOf(orb: KubeObject): Pin | undefined {
  const read = readPin(orb);
  return read.kind === 'pin' ? read.pin : undefined;
}

/** Field manager that wrote a part of the pin, as recorded by the API server. */
interface PinOwner {
  readonly manager: string;
  readonly fields: JsonObject;
}

const ownersOf = ({ metadata }: KubeObject): readonly PinOwner[] =>
  (metadata.managedFields ?? []).flatMap((entry): readonly PinOwner[] => {
    const { manager, fieldsV1 } = isJsonObject(entry) ? entry : {};
    const spec = isJsonObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    const fields = isJsonObject(spec) ? spec['f:pin'] : undefined;
    return typeof manager === 'string' && isJsonObject(fields) ? [{ manager, fields }] : [];
  });

/**
 * Names that our API gives to authenticated callers. Another writer's field manager with such a name is not trusted.
 */
const AUTHENTICATED = /^(?:key|sa):/;

/**
 * The recorded actor counts only when our API wrote every member of the pin. If another writer changed the reason or
 * the end, the pin is no longer the caller's request. The admission policy `orb-pin-actor` stops other writers from
 * using the name `orb-api-pin`.
 */
function actorOf(orb: KubeObject, { actor, ...pin }: Pin): string | null {
  const owners = ownersOf(orb);
  const members = ['actor', ...Object.keys(pin)];
  const isOurs = owners.some(
    ({ manager, fields }) => manager === API_MANAGER && members.every((name) => Object.hasOwn(fields, `f:${name}`)),
  );
  if (isOurs) return actor ?? null;
  const other = owners.find(({ manager }) => manager !== API_MANAGER)?.manager ?? null;
  return other === null || AUTHENTICATED.test(other) ? null : other;
}

/**
 * The pin of an Orb as the failover rules expect it. When another writer set the pin, its field manager is the actor
 * (failover.md §8).
 * @returns null without a pin, and for a malformed pin
 */
export function failoverPinIn(orb: KubeObject): FailoverPin | null {
  const pin = pinOf(orb);
  if (pin === undefined) return null;
  return { ...failoverPinOf(pin), actor: actorOf(orb, pin) };
}

const condition = (status: WantedCondition['status'], reason: string, message: string): WantedCondition => ({
  type: 'PinValid',
  status,
  reason,
  message,
});

const ignored = (reason: string, message: string, changesAt: number | undefined): JudgedPin => ({
  condition: condition('False', reason, `${message} The pin is ignored.`),
  changesAt,
});

/** The providers of the version that runs. */
interface KnownProviders {
  /** Names that have an execution. */
  readonly providers: ReadonlySet<string>;
  /** Names that the manifest mentions, with or without execution. */
  readonly named: ReadonlySet<string>;
}

/** Reports a problem with the provider's name; undefined when the name is fine. */
function unknownProvider(
  provider: string,
  endsAt: number,
  { providers, named }: KnownProviders,
): JudgedPin | undefined {
  if (providers.has(provider)) return undefined;
  const known = [...providers].toSorted().join(', ');
  const why = named.has(provider)
    ? `"${provider}" has no execution; add /providers/${provider}/execution.`
    : `The manifest that runs has no "${provider}"; use one of: ${known}.`;
  return ignored('PinProviderUndefined', `spec.pin.provider: ${why}`, endsAt);
}

function expired(provider: string): JudgedPin {
  const message = `The pin to "${provider}" has expired; remove spec.pin, or write a later expires_at, with another id if it has one.`;
  return { condition: condition('True', 'PinExpired', message), changesAt: undefined };
}

function followed(pin: FailoverPin, endsAt: number): JudgedPin {
  const until = endsAt < pin.expiresAt ? `${MAX_PIN_HOURS} hours after the operator first saw it` : 'the pin ends';
  return {
    condition: condition('True', 'PinFollowed', `"${pin.provider}" is used until ${until}.`),
    changesAt: endsAt,
  };
}

/** Reports a pin that has done its work; undefined while it still has work to do. */
function finishedPin({ id, provider }: FailoverPin, endsAt: number, state: PinState): JudgedPin | undefined {
  if (state?.overriddenId === id) {
    const message = `"${provider}" failed and was replaced, so the pin no longer counts; pin it again when it works.`;
    return { condition: condition('True', 'PinOverridden', message), changesAt: endsAt };
  }
  if (state?.handledId !== id) return undefined;
  const message = `The swap to "${provider}" was made; the pin no longer counts.`;
  return { condition: condition('True', 'PinHandled', message), changesAt: endsAt };
}

const unknownPin = (reason: string, changesAt: number): JudgedPin => ({
  condition: condition('Unknown', reason, 'No version of this Orb runs, so the pin is not followed; see Ready.'),
  changesAt,
});

/** The version that runs now, or why nothing runs: the reason of Ready. */
type Running = KnownProviders | { readonly nothing: string };

type PinState = FailoverStatus['pin'] | undefined;

/** The moment, and the recorded state of the pin; `state` undefined: nothing recorded yet. */
interface PinMoment {
  /** Ms since epoch. */
  readonly now: number;
  readonly state: PinState;
}

/**
 * Judges the pin of an Orb against the running version (failover.md §8). Messages hold no numbers or times that move.
 */
export function judgePin(orb: KubeObject, running: Running, { now, state }: PinMoment): JudgedPin {
  const read = readPin(orb);
  switch (read.kind) {
    case 'none':
      return { condition: undefined, changesAt: undefined };
    case 'malformed':
      return ignored(read.reason, read.message, undefined);
    case 'pin': {
      const pin = failoverPinOf(read.pin);
      const endsAt = pinEnd(pin, state);
      if (endsAt <= now) return expired(pin.provider);
      if ('nothing' in running) return unknownPin(running.nothing, endsAt);
      return unknownProvider(pin.provider, endsAt, running) ?? finishedPin(pin, endsAt, state) ?? followed(pin, endsAt);
    }
    default:
      return read satisfies never;
  }
}
