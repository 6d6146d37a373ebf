import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { PolicyObjects } from '../../policy/port.ts';
import type { DocumentChecks } from './policy-document.ts';
import type { SimulationRate } from './simulation-rate.ts';

/** What the routes of policies as objects need. */
export interface PolicyParts extends Omit<DocumentChecks, 'now'> {
  readonly objects: PolicyObjects;
  readonly ledger: Pick<Ledger, 'policyVersion' | 'policyVersions' | 'replayTotals'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
  /** Of writes. */
  readonly rate: Pick<SimulationRate, 'refusal'>;
}

/** What a policy is checked against at this time. */
export const checksOf = ({ policies, platformNamespace, drafts, clock }: PolicyParts): DocumentChecks => ({
  policies,
  platformNamespace,
  drafts,
  now: clock.now(),
});
