import type { EventSpec } from '../reconcile/event-spec.ts';
import type { FailoverStatus } from './types.ts';

const ACTION = 'ChooseProvider';

/** Reasons of Events about the choice of a provider; docs/run-the-operator.md explains each. */
type FailoverEventReason =
  | 'ProviderChanged'
  | 'RampStarted'
  | 'RampAborted'
  | 'FailoverFrozen'
  | 'FailbackReady'
  | 'PinExpired'
  | 'AllProvidersDown'
  | 'ProbeBudgetExhausted';

/** @param note without changing numbers, so that repeated Events of one reason are the same Event */
export const failoverEvent = (type: EventSpec['type'], reason: FailoverEventReason, note: string): EventSpec => ({
  type,
  reason,
  action: ACTION,
  note,
});

export const providerChanged = (from: string, to: string, reason: FailoverStatus['reason']): EventSpec =>
  failoverEvent('Normal', 'ProviderChanged', `"${to}" is used instead of "${from}" (${reason}).`);
