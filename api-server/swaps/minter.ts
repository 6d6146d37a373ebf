import { LedgerError, type Ledger, type LastSwap } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { SwapRecord } from '../../core/failover/types.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import { sealSwap } from '../../core/receipt/swap-seal.ts';
import { swapReceiptOf, type ReceiptIssue, type SwappedOrb } from '../../core/swap/swap-receipt-of.ts';
import type { SelfCheck } from '../self-check/self-check.ts';

export interface SwapMinterDeps {
  readonly ledger: Pick<Ledger, 'recordSwap' | 'lastSwap' | 'hasPublished'>;
  readonly sealing: SealTools;
  readonly selfCheck: Pick<SelfCheck, 'check'>;
  readonly issuer: string;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The program that decides on swaps, as far as it is known: program and version, and the holder of its lease. */
  readonly evaluator: () => ReceiptIssue['evaluator'];
  /** Whether this process still has the lease under which one process mints. */
  readonly isHolder: () => boolean;
}

/** Writes the receipts of swaps, because the operator has neither the key nor the ledger (failover.md §6). */
export interface SwapMinter {
  /**
   * Shows the present state of an Orb; returns at once. Ignored while `run` is not active: show every Orb after its
   * start.
   */
  readonly observe: (orb: SwappedOrb) => void;
  /**
   * Mints the receipts of the shown Orbs until the signal is aborted. Never rejects. Each swap gets one receipt, even
   * with several minters: the key in the ledger is unique. A receipt that the ledger can't take now is tried again.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const RETRY_MS = 5000;
// Orbs whose receipts share a commit of the ledger.
const AT_ONCE = 32;

/** The lease went to another process, which mints now. */
class NotHolding extends Error {}

/**
 * The last minted swap of an Orb. The next swap has a higher number, and its receipt names this receipt as the
 * previous.
 */
type Minted = Pick<LastSwap, 'seq'> & { readonly receiptId: string | null };

const isRetryable = (error: unknown): boolean => error instanceof LedgerError || error instanceof NotHolding;

class Minter implements SwapMinter {
  readonly #deps: SwapMinterDeps;
  /** By uid: the newest state of each Orb that was shown and is not minted yet. */
  readonly #pending = new Map<string, SwappedOrb>();
  /** By uid: the last minted swap. */
  readonly #minted = new Map<string, Minted>();
  #wake: (() => void) | undefined;
  #isRunning = false;
  #isAway = false;

  constructor(deps: SwapMinterDeps) {
    this.#deps = deps;
  }

  readonly observe: SwapMinter['observe'] = (orb) => {
    const newest = orb.failover.history.at(-1);
    if (!this.#isRunning || newest === undefined) return;
    if (newest.seq <= (this.#minted.get(orb.uid)?.seq ?? 0)) return;
    this.#pending.set(orb.uid, orb);
    this.#wake?.();
  };

  readonly run: SwapMinter['run'] = async (signal) => {
    this.#isRunning = true;
    while (!signal.aborted) {
      if (this.#pending.size === 0) await this.#shown(signal);
      else if (!(await this.#round())) await this.#waited(signal);
    }
    this.#isRunning = false;
    this.#pending.clear();
    this.#minted.clear(); // another process may mint from here on
  };

  /** Resolves when an Orb is shown, or when the signal is aborted. */
  #shown(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }

  async #waited(signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(RETRY_MS, signal, { ref: false }).catch(() => undefined);
  }

  /** @returns false: at least one receipt must wait */
  async #round(): Promise<boolean> {
    const orbs = [...this.#pending.values()].slice(0, AT_ONCE);
    const done = await Promise.all(orbs.map((orb) => this.#mintOrb(orb)));
    return !done.includes(false);
  }

  async #mintOrb(orb: SwappedOrb): Promise<boolean> {
    this.#pending.delete(orb.uid);
    try {
      await this.#mintHistory(orb);
      this.#isAway = false;
      return true;
    } catch (error) {
      if (!this.#isAway) this.#deps.logger.warn('receipts of swaps have to wait', { orb_id: orb.orbId, error });
      this.#isAway = true;
      if (!this.#pending.has(orb.uid)) this.#pending.set(orb.uid, orb);
      return false;
    }
  }

  /**
   * Mints in the order of the numbers, because each receipt names the previous one.
   * @throws when receipts have to wait
   */
  async #mintHistory(orb: SwappedOrb): Promise<void> {
    const { namespace, uid, failover } = orb;
    let minted: Minted = this.#minted.get(uid) ??
      (await this.#deps.ledger.lastSwap(namespace, uid)) ?? { seq: 0, receiptId: null };
    for (const swap of failover.history.toSorted((one, other) => one.seq - other.seq)) {
      if (swap.seq > minted.seq) minted = { seq: swap.seq, receiptId: await this.#mint(swap, orb, minted.receiptId) };
      this.#minted.set(uid, minted);
    }
  }

  /**
   * @returns the receipt that the next one names
   * @throws when the receipt has to wait. A swap that can have no receipt is logged.
   */
  async #mint(swap: SwapRecord, orb: SwappedOrb, previous: string | null): Promise<string | null> {
    const fields = { namespace: orb.namespace, orb_id: orb.orbId, swap_seq: swap.seq, receipt_id: swap.receiptId };
    const logger = this.#deps.logger;
    try {
      const result = await this.#record(swap, orb, previous);
      if (result.kind === 'fenced') {
        logger.warn('a swap has no receipt: its epoch is past', {
          ...fields,
          epoch: swap.epoch,
          highest: result.highest,
        });
        return previous;
      }
      if (result.kind === 'recorded') logger.info('a swap has its receipt', fields);
      else if (result.receiptId !== swap.receiptId)
        logger.error('a swap has another receipt already', { ...fields, existing: result.receiptId });
      return result.kind === 'recorded' ? swap.receiptId : result.receiptId;
    } catch (error) {
      if (isRetryable(error)) throw error;
      logger.error('a swap can have no receipt', { ...fields, error });
      return previous;
    }
  }

  async #record(swap: SwapRecord, orb: SwappedOrb, previousReceiptId: string | null) {
    const { ledger, sealing, selfCheck, issuer, clock, logger, evaluator, isHolder } = this.#deps;
    const { namespace: tenant, uid: orbUid, orbId, manifestDigest } = orb;
    const { seq: swapSeq, epoch, receiptId } = swap;
    const minting = { issuer, now: clock.now(), evaluator: evaluator(), previousReceiptId };
    const record = swapReceiptOf(swap, orb, minting);
    if (swap.evidence !== null && record.evidence === null)
      logger.warn('the evidence of a swap can not be signed: its receipt has none', { receipt_id: receiptId });
    const { jws, entry } = sealSwap(record, await ledger.hasPublished(orbId, manifestDigest), sealing);
    if (!(await selfCheck.check(jws))) throw new TypeError('the receipt of a swap does not verify');
    if (!isHolder()) throw new NotHolding('the lease of minting is not held');
    const issuedAt = Date.parse(record.issued_at);
    return ledger.recordSwap({ tenant, orbUid, swapSeq, epoch, receiptId, orbId, issuedAt, jws, entry });
  }
}

/** Makes a minter. Call `run` while the lease is held. */
export const createSwapMinter = (deps: SwapMinterDeps): SwapMinter => new Minter(deps);
