import type { EventSpec } from '../reconcile/event-spec.ts';
import { failoverEvent, providerChanged } from './events.ts';
import { isPinSpent, pinEnd } from './pin-end.ts';
import { recordSwap } from './record-swap.ts';
import { newStatus } from './status-codec.ts';
import type { FailoverInput, FailoverPin, FailoverStatus } from './types.ts';

/** Input for following a pin. It needs no metrics and no memory, so a pin does not wait for a tick. */
export type PinInput = Pick<FailoverInput, 'now' | 'epoch' | 'receiptId' | 'resolved' | 'pin' | 'persisted'> & {
  /** Without `swap_config`, only a pin moves an Orb; an Orb that was never swapped follows its manifest. */
  readonly hasSwapConfig: boolean;
};

export interface FollowedPin {
  /** How the pin holds the active provider: `soft` releases a broken one; with `none` the other rules decide. */
  readonly holds: 'none' | 'soft' | 'hard';
  readonly swapped: boolean;
  /** The next status. When it deep-equals `persisted`, nothing is written. */
  readonly next: FailoverStatus;
  readonly events: readonly EventSpec[];
}

const withPinState = (status: FailoverStatus, change: Partial<FailoverStatus['pin']>): FailoverStatus => ({
  ...status,
  pin: { ...status.pin, ...change },
});

/** Whether the active provider lost its execution, or the manifest of a never swapped Orb names another provider. */
function isMoved(status: FailoverStatus, { resolved, hasSwapConfig }: PinInput): boolean {
  const first = resolved[0];
  if (first === undefined || first === status.activeProvider) return false;
  const follows = !hasSwapConfig && status.reason === 'primary';
  return follows || !resolved.includes(status.activeProvider);
}

/** Whether a ramp must end. Without `swap_config` no rule ends it, and it would keep its share of the runs forever. */
const isRampOver = ({ ramp, activeProvider }: FailoverStatus, { resolved, hasSwapConfig }: PinInput): boolean =>
  ramp !== null && (!hasSwapConfig || !resolved.includes(ramp.provider) || ramp.provider === activeProvider);

/** The status to continue from: its active provider and the provider of its ramp have an execution. */
function resolvedStatus(input: PinInput): FailoverStatus {
  const { persisted, resolved, now } = input;
  const first = resolved[0] ?? '';
  if (persisted === null) return newStatus(first, now);
  if (isMoved(persisted, input))
    return { ...persisted, activeProvider: first, since: now, reason: 'primary', ramp: null };
  return isRampOver(persisted, input) ? { ...persisted, ramp: null } : persisted;
}

function swapTo(pin: FailoverPin, status: FailoverStatus, input: PinInput): FailoverStatus {
  const swap = { to: pin.provider, reason: 'manual', rule: 'pinned', actor: pin.actor } as const;
  // A person decided, so a freeze and the dwell of an earlier swap end.
  return { ...recordSwap(status, swap, input), frozen: null, dwellUntil: null };
}

function follow(pin: FailoverPin, status: FailoverStatus, input: PinInput): FollowedPin {
  const swapped = status.activeProvider !== pin.provider;
  const moved = swapped ? swapTo(pin, status, input) : { ...status, ramp: null };
  const next = pin.mode === 'once' ? withPinState(moved, { handledId: pin.id }) : moved;
  const events = swapped ? [providerChanged(status.activeProvider, pin.provider, 'manual')] : [];
  return { holds: pin.mode === 'once' ? 'none' : pin.mode, swapped, next, events };
}

/** The Event about the end of a pin. It is made once, and only for a pin that was seen before it ended. */
function end({ id, provider }: FailoverPin, status: FailoverStatus): Omit<FollowedPin, 'holds' | 'swapped'> {
  const { firstSeen, expiredId } = status.pin;
  if (firstSeen?.id !== id || expiredId === id) return { next: status, events: [] };
  const note = `The pin to "${provider}" has expired; the provider stays until the rules decide otherwise.`;
  return { next: withPinState(status, { expiredId: id }), events: [failoverEvent('Normal', 'PinExpired', note)] };
}

/** Records when a pin was seen first. A recorded time in the future is replaced: it would make the pin endless. */
function seen({ id }: FailoverPin, status: FailoverStatus, now: number): FailoverStatus {
  const { firstSeen } = status.pin;
  return firstSeen?.id === id && firstSeen.at <= now ? status : withPinState(status, { firstSeen: { id, at: now } });
}

function judge(pin: FailoverPin, status: FailoverStatus, input: PinInput): FollowedPin {
  const free = { holds: 'none', swapped: false, next: status, events: [] } as const;
  if (!input.resolved.includes(pin.provider) || isPinSpent(pin, status.pin)) return free;
  if (pinEnd(pin, status.pin) <= input.now) return { ...free, ...end(pin, status) };
  return follow(pin, seen(pin, status, input.now), input);
}

/**
 * Rule 0 alone (failover.md §5.3, §8): follows a pin, forgets a removed pin, and leaves a provider without execution.
 * `decide` begins with this rule. Between two ticks, and for an Orb without `swap_config`, only this rule runs.
 */
export function followPin(input: PinInput): FollowedPin {
  const status = resolvedStatus(input);
  const before = input.persisted?.activeProvider ?? status.activeProvider;
  const moved = before === status.activeProvider ? [] : [providerChanged(before, status.activeProvider, 'primary')];
  if (input.pin === null) {
    const next = status.pin.firstSeen === null ? status : withPinState(status, { firstSeen: null });
    return { holds: 'none', swapped: false, next, events: moved };
  }
  const followed = judge(input.pin, status, input);
  return { ...followed, events: [...moved, ...followed.events] };
}
