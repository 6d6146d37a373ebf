import type { Pin } from '../../crds/orb.ts';
import { MAX_PIN_HOURS, MAX_PIN_MS } from '../failover/effective-provider.ts';
import { schemaChecks } from '../manifest/check-schema.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import type { WantedCondition } from '../reconcile/conditions.ts';

const TIME = '/spec/pin/expires_at';

type ReadPin =
  | { readonly kind: 'none' }
  | { readonly kind: 'pin'; readonly pin: Pin; readonly expiresAt: number }
  | { readonly kind: 'malformed'; readonly reason: 'PinMalformed' | 'PinTimeInvalid'; readonly message: string };

interface TimedPin {
  readonly provider: string;
  /** Ms since epoch. */
  readonly expiresAt: number;
}

/** What a pin comes to at one moment. */
interface JudgedPin {
  /** As `effectiveProvider` takes it; absent when none is followed now. */
  readonly pin: TimedPin | undefined;
  /** Absent without a pin. */
  readonly condition: WantedCondition | undefined;
  /** Ms since epoch of the next moment at which the answer changes by itself. */
  readonly changesAt: number | undefined;
}

function readPin(orb: KubeObject): ReadPin {
  const { pin: value } = specOf(orb);
  if (value === undefined) return { kind: 'none' };
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'pin' }, spec: { pin: value } };
  const checked = schemaChecks.orb(envelope);
  if (!checked.ok) {
    const isTime = checked.findings.every(({ pointer, code }) => pointer === TIME && code !== 'schema-required');
    const reason = isTime ? 'PinTimeInvalid' : 'PinMalformed';
    return { kind: 'malformed', reason, message: explainFindings(checked.findings, '') };
  }
  const { pin } = checked.value.spec;
  if (pin === undefined) return { kind: 'none' };
  const expiresAt = Date.parse(pin.expires_at);
  if (Number.isNaN(expiresAt)) {
    const message = 'spec.pin.expires_at: There is no such time; write 2026-01-31T12:00:00Z.';
    return { kind: 'malformed', reason: 'PinTimeInvalid', message };
  }
  return { kind: 'pin', pin, expiresAt };
}

/**
 * The pin of an Orb as `compileOrb` takes it. One that can't be read is no pin: the Orb goes on without.
 * @returns undefined without a pin, and for a malformed one
 */
export function pinOf(orb: KubeObject): Pin | undefined {
  const read = readPin(orb);
  return read.kind === 'pin' ? read.pin : undefined;
}

const condition = (status: WantedCondition['status'], reason: string, message: string): WantedCondition => ({
  type: 'PinValid',
  status,
  reason,
  message,
});

const ignored = (reason: string, message: string, changesAt: number | undefined): JudgedPin => ({
  pin: undefined,
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

/** What is wrong with the name, if anything is. */
function misnamed({ provider, expiresAt }: TimedPin, { providers, named }: KnownProviders): JudgedPin | undefined {
  if (providers.has(provider)) return undefined;
  const known = [...providers].toSorted().join(', ');
  const why = named.has(provider)
    ? `Nothing says how "${provider}" is called; add /providers/${provider}/execution.`
    : `The manifest that runs has no "${provider}"; use one of: ${known}.`;
  return ignored('PinProviderUndefined', `spec.pin.provider: ${why}`, expiresAt);
}

function expired(provider: string): JudgedPin {
  const message = `The pin to "${provider}" has ended; remove spec.pin, or write a later expires_at.`;
  return { pin: undefined, condition: condition('True', 'PinExpired', message), changesAt: undefined };
}

/** It would begin by itself one day, when nobody thinks of it any more: the message must say so. */
function tooLong(expiresAt: number): JudgedPin {
  const message = `spec.pin.expires_at: Write a time at most ${MAX_PIN_HOURS} hours ahead, or to stay for good change spec.swap_config.primary. The pin is ignored until its end is that near.`;
  return { pin: undefined, condition: condition('False', 'PinTooLong', message), changesAt: expiresAt - MAX_PIN_MS };
}

function judgeTime({ provider, expiresAt }: TimedPin, now: number): JudgedPin {
  if (expiresAt - now > MAX_PIN_MS) return tooLong(expiresAt);
  return {
    pin: { provider, expiresAt },
    condition: condition('True', 'PinFollowed', `"${provider}" is used until the pin ends.`),
    changesAt: expiresAt,
  };
}

const unjudged = (reason: string, changesAt: number): JudgedPin => ({
  pin: undefined,
  condition: condition('Unknown', reason, 'No version of this Orb runs, so the pin is not followed; see Ready.'),
  changesAt,
});

/** What runs now, or why nothing does: the reason of Ready. */
type Running = KnownProviders | { readonly nothing: string };

/**
 * Judges the pin of an Orb by the version that runs (failover.md §8). Numbers and times that move stand in no message.
 * @param now ms since epoch
 */
export function judgePin(orb: KubeObject, running: Running, now: number): JudgedPin {
  const read = readPin(orb);
  switch (read.kind) {
    case 'none':
      return { pin: undefined, condition: undefined, changesAt: undefined };
    case 'malformed':
      return ignored(read.reason, read.message, undefined);
    case 'pin': {
      const timed = { provider: read.pin.provider, expiresAt: read.expiresAt };
      if (timed.expiresAt <= now) return expired(timed.provider);
      if ('nothing' in running) return unjudged(running.nothing, timed.expiresAt);
      return misnamed(timed, running) ?? judgeTime(timed, now);
    }
    default:
      return read satisfies never;
  }
}
