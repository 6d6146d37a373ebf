import type { EventSpec } from '../reconcile/event-spec.ts';
import type { FailoverStatus } from './types.ts';

const ACTION = 'ChooseProvider';

/** Reasons of Events about the choice of a provider; docs/operator.md says what each means. */
type FailoverEventReason =
  | 'ProviderChanged'
  | 'RampStarted'
  | 'RampAborted'
  | 'FailoverFrozen'
  | 'FailbackReady'
  | 'PinExpired'
  | 'AllProvidersDown'
  | 'ProbeBudgetExhausted';

/** @param note without figures that move: Events of one reason are told once */
export const failoverEvent = (type: EventSpec['type'], reason: FailoverEventReason, note: string): EventSpec => ({
  type,
  reason,
  action: ACTION,
  note,
});

export const providerChanged = (from: string, to: string, reason: FailoverStatus['reason']): EventSpec =>
  failoverEvent('Normal', 'ProviderChanged', `"${to}" is used instead of "${from}" (${reason}).`);
