import { Reputation } from '../../api-server/reputation/reputation.ts';
import type { Ledger, NewPublication } from '../../adapters/ledger/port.ts';
import { aCaller } from './api-app.ts';
import { aReputation, type ReputationChange } from './a-reputation.ts';
import type { FakeClock } from './fake-clock.ts';
import { aPublication, aVersion } from './reputation-rows.ts';
import { openSqliteFixture } from './sqlite-ledger.ts';
import type { Caller } from '../../core/api-key/caller.ts';

/** Publishing and scores over a ledger of its own, with `acme.echo@1.0.0` of the tenant `acme`. */
export interface Marketplace {
  readonly ledger: Ledger;
  readonly clock: FakeClock;
  readonly reputation: Reputation;
  /** Publishes one more version of `acme.echo`. */
  readonly publish: (version: string, change?: Partial<NewPublication>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function aMarketplace(change: ReputationChange = {}): Promise<Marketplace> {
  const { ledger, clock, dispose } = await openSqliteFixture();
  const reputation = aReputation(ledger, clock, change);
  await ledger.publish(aPublication());
  await reputation.open();
  const publish: Marketplace['publish'] = async (version, row = {}) => {
    await ledger.publish(aVersion(version, row));
    await reputation.listings.refresh();
  };
  return { ledger, clock, reputation, publish, close: dispose };
}

/** A caller of one tenant with every scope of the marketplace; `admin` only where it is given. */
export const aPublisher = (tenants: Caller['tenants'] = ['acme'], ...more: readonly 'admin'[]): Caller =>
  aCaller({ tenants, scopes: new Set(['marketplace:read', 'marketplace:publish', 'reputation:read', ...more]) });

/** A caller with `admin` in the platform namespace. */
export const aPlatformAdmin = (): Caller => aPublisher(['orb-system'], 'admin');
