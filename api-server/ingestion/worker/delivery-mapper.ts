import type { AcceptedDelivery } from '../../../adapters/ledger/port.ts';
import type { SignalSource } from '../source.ts';
import type { MappedBatch, MapWork } from './map-desk.ts';

/** An accepted delivery with its source as it receives now. */
export interface SourcedDelivery {
  readonly delivery: AcceptedDelivery;
  readonly source: SignalSource;
  readonly raw: Uint8Array;
}

/** The work of deliveries could not be ended. */
export class MappingEnded extends Error {
  /** False: the thread could not be started, or was closed. Then no delivery is to blame. */
  readonly isOfWork: boolean;

  constructor(message: string, { isOfWork, cause }: { readonly isOfWork: boolean; readonly cause?: unknown }) {
    super(message, { cause });
    this.name = 'MappingEnded';
    this.isOfWork = isOfWork;
  }
}

/** Maps deliveries elsewhere, so that the event loop stays free. */
export interface DeliveryMapper {
  /**
   * Calls are served in their order, and a second one may wait behind the first. Bodies may be handed over: they are
   * empty after the call, and the ledger has them still.
   * @throws MappingEnded @throws LedgerError the ledger could not be read
   */
  readonly map: (work: MapWork<SourcedDelivery>) => Promise<MappedBatch>;
  /** Ends its thread; what is under way rejects. */
  readonly close: () => Promise<void>;
}
