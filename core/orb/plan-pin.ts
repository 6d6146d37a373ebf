import type { Pin } from '../../crds/orb.ts';
import { schemaChecks } from '../manifest/check-schema.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import type { WantedCondition } from '../reconcile/conditions.ts';
import type { JudgedManifest } from './plan-manifest.ts';

// failover.md §8: no endless pins; to stay for good, change `swap_config.primary`.
const MAX_HOURS = 168;
const MAX_MS = MAX_HOURS * 3_600_000;
const TIME = '/spec/pin/expires_at';

type ReadPin =
  | { readonly kind: 'none' }
  | { readonly kind: 'pin'; readonly pin: Pin; readonly expiresAt: number }
  | { readonly kind: 'malformed'; readonly reason: 'PinMalformed' | 'PinTimeInvalid'; readonly message: string };

/** What a pin comes to at one moment. */
export interface JudgedPin {
  /** As `effectiveProvider` takes it; absent when there is none that could be followed. */
  readonly pin: { readonly provider: string; readonly expiresAt: number } | undefined;
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

const ignored = (reason: string, message: string): JudgedPin => ({
  pin: undefined,
  condition: condition('False', reason, `${message} The pin is ignored.`),
  changesAt: undefined,
});

/** What is wrong with the name, if anything is. */
function misnamed(provider: string, manifest: JudgedManifest & { readonly kind: 'valid' }): JudgedPin | undefined {
  if (manifest.providers.has(provider)) return undefined;
  const known = [...manifest.providers].toSorted().join(', ');
  const why = manifest.named.has(provider)
    ? `Nothing says how "${provider}" is called; add /providers/${provider}/execution.`
    : `The manifest has no "${provider}"; use one of: ${known}.`;
  return ignored('PinProviderUndefined', `spec.pin.provider: ${why}`);
}

function judgeTime(provider: string, expiresAt: number, now: number): JudgedPin {
  const pin = { provider, expiresAt };
  if (expiresAt <= now) {
    const message = `The pin to "${provider}" has ended; remove spec.pin, or write a later expires_at.`;
    return { pin, condition: condition('True', 'PinExpired', message), changesAt: undefined };
  }
  if (expiresAt - now > MAX_MS) {
    const message = `spec.pin.expires_at: It is more than ${MAX_HOURS} hours ahead; write an earlier time, or to stay for good change spec.swap_config.primary.`;
    return { pin, condition: condition('False', 'PinTooLong', message), changesAt: expiresAt - MAX_MS };
  }
  return {
    pin,
    condition: condition('True', 'PinFollowed', `"${provider}" is used until the pin ends.`),
    changesAt: expiresAt,
  };
}

/**
 * Judges the pin of an Orb whose manifest is valid (failover.md §8). Numbers and times that move stand in no message.
 * @param now ms since epoch
 */
export function judgePin(
  orb: KubeObject,
  manifest: JudgedManifest & { readonly kind: 'valid' },
  now: number,
): JudgedPin {
  const read = readPin(orb);
  switch (read.kind) {
    case 'none':
      return { pin: undefined, condition: undefined, changesAt: undefined };
    case 'malformed':
      return ignored(read.reason, read.message);
    case 'pin':
      return misnamed(read.pin.provider, manifest) ?? judgeTime(read.pin.provider, read.expiresAt, now);
    default:
      return read satisfies never;
  }
}
