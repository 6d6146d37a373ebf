import { NotLeading } from '../../adapters/kube/election.ts';
import type { SwappedOrb } from '../../core/swap/swap-receipt-of.ts';
import { createLedgerLease, type LedgerLease } from '../cluster/ledger-lease.ts';
import { createProber, type ProberDeps } from '../probes/prober.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createSwapMinter, type SwapMinter, type SwapMinterDeps } from '../swaps/minter.ts';
import type { Platform } from './platform.ts';

/** The parts of a platform that the tasks use. */
type HolderParts = Pick<Platform, 'ledger' | 'logHead' | 'catalog' | 'dialer' | 'clock'> & {
  readonly log: Pick<Platform['log'], 'logger'>;
  readonly metrics: ProberDeps['metrics'];
  readonly runtime: Pick<Runtime, 'sealing' | 'selfCheck' | 'issuer' | 'settings' | 'switches' | 'failover'>;
};

interface HolderOptions extends Pick<ProberDeps, 'random' | 'onBudgetExhausted'> {
  /** Of this process among replicas. */
  readonly identity: string;
  /** Who decides on swaps, for their receipts. */
  readonly evaluator: SwapMinterDeps['evaluator'];
  /** Every Orb with swaps as it is now: asked when this process begins to mint. */
  readonly swapped: () => Iterable<SwappedOrb>;
}

/** What one replica does for all: probes, and the receipts of swaps (failover.md §6, §7). */
export interface HolderTasks {
  /** An Orb may have been swapped. Ignored by who does not mint. */
  readonly observe: SwapMinter['observe'];
  /** Campaigns for the lease and works while it is held, until the signal is aborted. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

// The word of trust.md §2.3.
const LEASE = 'provider-probes';

/** A process that was stopped and goes on must not work on a lease that another one took meanwhile. */
function isHeld({ assertLeading }: LedgerLease): boolean {
  try {
    assertLeading();
    return true;
  } catch (error) {
    if (error instanceof NotLeading) return false;
    throw error;
  }
}

export function createHolderTasks(platform: HolderParts, options: HolderOptions): HolderTasks {
  const { ledger, logHead, catalog, dialer, metrics, clock, runtime } = platform;
  const { logger } = platform.log;
  const { identity, swapped, evaluator, ...probing } = options;
  const { sealing, selfCheck, issuer, settings, switches, failover } = runtime;
  const lease = createLedgerLease({ ledger, name: LEASE, holder: identity, clock, logger });
  const isHolder = (): boolean => isHeld(lease);
  const shared = { clock, logger, isHolder };
  const minter = createSwapMinter({ ...shared, ledger, sealing, selfCheck, issuer, evaluator });
  const prober = createProber({ ...shared, ...probing, catalog, dialer, metrics, failover, switches, settings });
  const mint = async (scope: AbortSignal): Promise<void> => {
    if (!(await logHead.ready(scope))) return;
    const minting = minter.run(scope);
    for (const orb of swapped()) minter.observe(orb);
    await minting;
  };
  const work = async (scope: AbortSignal): Promise<void> => {
    await Promise.all([prober.run(scope), mint(scope)]);
  };
  return { observe: minter.observe, run: (signal) => lease.run(signal, work) };
}
