import { NotLeading } from '../../core/errors/not-leading.ts';
import type { SwappedOrb } from '../../core/swap/swap-receipt-of.ts';
import { createLedgerLease, type LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import { createProber, type ProberDeps } from '../probes/prober.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createSwapMinter, type SwapMinter, type SwapMinterDeps } from '../swaps/minter.ts';
import type { Platform } from './platform.ts';

/** The parts of a platform that the leader tasks use. */
type LeaderTaskParts = Pick<Platform, 'ledger' | 'logHead' | 'catalog' | 'dialer' | 'clock'> & {
  readonly log: Pick<Platform['log'], 'logger'>;
  readonly metrics: ProberDeps['metrics'];
  readonly runtime: Pick<Runtime, 'sealing' | 'selfCheck' | 'issuer' | 'settings' | 'switches' | 'failover'>;
};

export interface LeaderTaskOptions extends Pick<ProberDeps, 'random' | 'onBudgetExhausted'> {
  /** Name of this process among its replicas. */
  readonly identity: string;
  /** The program that decides on swaps, for their receipts. */
  readonly evaluator: SwapMinterDeps['evaluator'];
  /** The present state of every Orb with swaps. It is read when this process begins to mint. */
  readonly swapped: () => Iterable<SwappedOrb>;
}

/** Leader tasks, which one replica does for all: probes, and the receipts of swaps (failover.md §6, §7). */
export interface LeaderTasks {
  /** An Orb may have been swapped. Ignored while this process does not mint. */
  readonly observe: SwapMinter['observe'];
  /** Campaigns for the lease and works while it is held, until the signal is aborted. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

// The name in trust.md §2.3.
const LEASE = 'provider-probes';

/** A paused process that continues must not use a lease that another process has taken meanwhile. */
function isHeld({ assertLeading }: LedgerLease): boolean {
  try {
    assertLeading();
    return true;
  } catch (error) {
    if (error instanceof NotLeading) return false;
    throw error;
  }
}

export function createLeaderTasks(platform: LeaderTaskParts, options: LeaderTaskOptions): LeaderTasks {
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
