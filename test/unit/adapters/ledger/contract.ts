import type { KeyObject } from 'node:crypto';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { checkLog } from '../../../support/check-log.ts';
import type { FakeClock } from '../../../support/fake-clock.ts';
import { deadLetterContract } from './contract/dead-letters.ts';
import { deliveryContract } from './contract/deliveries.ts';
import { deliveryEffectContract } from './contract/delivery-effects.ts';
import { evaluationContract } from './contract/evaluations.ts';
import { idempotencyContract } from './contract/idempotency.ts';
import { incidentContract } from './contract/incidents.ts';
import { ingestRetentionContract } from './contract/ingest-retention.ts';
import { leaseContract } from './contract/leases.ts';
import { lifeContract } from './contract/life.ts';
import { logContract } from './contract/log.ts';
import { orgContract } from './contract/orgs.ts';
import { policyDecisionContract } from './contract/policy-decisions.ts';
import { policyGrantContract } from './contract/policy-grants.ts';
import { policyReplayContract } from './contract/policy-replays.ts';
import { policyRetentionContract } from './contract/policy-retention.ts';
import { policyVersionContract } from './contract/policy-versions.ts';
import { policyViolationContract } from './contract/policy-violations.ts';
import { publicationContract } from './contract/publications.ts';
import { receiptTotalContract } from './contract/receipt-totals.ts';
import { receiptContract } from './contract/receipts.ts';
import { recordedRunContract } from './contract/recorded-runs.ts';
import { reputationContract } from './contract/reputation.ts';
import { runContract } from './contract/runs.ts';
import { signalContract } from './contract/signals.ts';
import { statusContract } from './contract/status.ts';
import { storeContract } from './contract/store.ts';
import { swapContract } from './contract/swaps.ts';
import { tenantUsageContract } from './contract/tenant-usage.ts';
import { testReportContract } from './contract/test-reports.ts';

/** An implementation under test: one ledger, empty at first. */
export interface LedgerFixture {
  readonly ledger: Ledger;
  readonly clock: FakeClock;
  /** Public half of its log key. */
  readonly logKey: KeyObject;
  /** The one that is open: `ledger`, the reopened one, or a new one if the test closed it. */
  readonly current: () => Promise<Ledger>;
  /** Closes it and opens it again, as after a restart. */
  readonly reopen: () => Promise<Ledger>;
  /** Closes what is open and removes what is stored. */
  readonly dispose: () => Promise<void>;
}

/** The fixture of the running test. */
export interface Contract {
  readonly it: (title: string, test: (fixture: LedgerFixture) => Promise<void>) => void;
}

/** Tenants that tests write for. */
const TENANTS = ['acme', 'globex', ...Array.from({ length: 60 }, (_, number) => `tenant-${number + 1}`)];

/** What every ledger must do (adapters/ledger/port.ts). Each test starts empty and ends with its whole log checked. */
export function ledgerContract(name: string, open: () => Promise<LedgerFixture>): void {
  const contract: Contract = {
    it: (title, test) => {
      it(title, async () => {
        const fixture = await open();
        try {
          await test(fixture);
          await checkLog(await fixture.current(), { logKey: fixture.logKey, tenants: TENANTS });
        } finally {
          await fixture.dispose();
        }
      });
    },
  };
  describe(`${name}: ledger`, () => {
    runContract(contract);
    idempotencyContract(contract);
    receiptContract(contract);
    recordedRunContract(contract);
    receiptTotalContract(contract);
    swapContract(contract);
    logContract(contract);
    storeContract(contract);
    reputationContract(contract);
    publicationContract(contract);
    tenantUsageContract(contract);
    testReportContract(contract);
    orgContract(contract);
    evaluationContract(contract);
    policyDecisionContract(contract);
    policyGrantContract(contract);
    policyViolationContract(contract);
    policyVersionContract(contract);
    policyReplayContract(contract);
    policyRetentionContract(contract);
    deliveryContract(contract);
    deadLetterContract(contract);
    signalContract(contract);
    deliveryEffectContract(contract);
    incidentContract(contract);
    ingestRetentionContract(contract);
    statusContract(contract);
    leaseContract(contract);
    lifeContract(contract);
  });
}
