/** Bounds on open connections; 0: no bound. */
export interface PlaceLimits {
  readonly together: number;
  readonly perAddress: number;
}

/** The bound for which a connection was closed or not accepted. */
export type PlaceReason = 'connections' | 'connections-per-address';

/** What places do with the connections that have them. */
export interface Held {
  /** Closes the connection at once. */
  readonly close: () => void;
  /** Every open request of it has not arrived whole: no work has begun that a close would lose. */
  readonly isReceiving: () => boolean;
}

/** The connections of one address. Owned by `ConnectionPlaces`. */
interface Share {
  readonly address: string;
  readonly places: Set<Place>;
  /** Those without an open request, the longest idle first. */
  readonly idle: Set<Place>;
}

/** A search for connections that still receive looks at every connection, so it frees so many places at once. */
const RECEIVING_AT_ONCE = 64;

const bySize = (one: Share, other: Share): number => other.places.size - one.places.size;

/** The share with most connections among those with an idle one. Called for each connection too many, so nothing is sorted. */
function mostWithIdle(shares: Iterable<Share>): Share | undefined {
  let most: Share | undefined;
  for (const share of shares) {
    if (share.idle.size > 0 && share.places.size > (most?.places.size ?? 0)) most = share;
  }
  return most;
}

/** The place of one connection. */
export class Place {
  readonly held: Held;
  readonly #share: Share;
  readonly #released: (share: Share) => void;

  constructor(held: Held, share: Share, released: (share: Share) => void) {
    this.held = held;
    this.#share = share;
    this.#released = released;
    share.places.add(this);
    share.idle.add(this);
  }

  /** A request has begun. */
  busy(): void {
    this.#share.idle.delete(this);
  }

  /** No request is open. */
  rest(): void {
    if (this.#share.places.has(this)) this.#share.idle.add(this);
  }

  /** The connection has closed. It may be called again. */
  release(): void {
    if (!this.#share.places.delete(this)) return;
    this.#share.idle.delete(this);
    this.#released(this.#share);
  }
}

/**
 * Places for connections, bounded for each address and together. When a bound is met, a newcomer gets the place of the
 * longest idle connection: of its own address, or of the address that has most. Without an idle connection it gets the
 * place of one whose request has not arrived whole. Connections with work in progress stay; then it gets no place.
 */
export class ConnectionPlaces {
  readonly #limits: PlaceLimits;
  readonly #counted: (reason: PlaceReason) => void;
  readonly #shares = new Map<string, Share>();
  #size = 0;

  /** @param counted called for every connection that loses its place, and for every newcomer without a place */
  constructor(limits: PlaceLimits, counted: (reason: PlaceReason) => void) {
    this.#limits = limits;
    this.#counted = counted;
  }

  /**
   * @param address whose share the connection belongs to
   * @param isBounded false for a proxy, whose connections are those of many callers: the bound for each address is off
   * @returns undefined: there is no place, and the connection must be closed
   */
  take(address: string, isBounded: boolean, held: Held): Place | undefined {
    const { perAddress, together } = this.#limits;
    const own = this.#shares.get(address);
    const isOwnFull = isBounded && perAddress > 0 && own !== undefined && own.places.size >= perAddress;
    if (isOwnFull && !this.#free([own], 'connections-per-address')) return this.#none('connections-per-address');
    const isFull = together > 0 && this.#size >= together;
    if (isFull && !this.#free([...this.#shares.values()], 'connections')) return this.#none('connections');
    this.#size += 1;
    return new Place(held, this.#shareOf(address), (share) => this.#released(share));
  }

  #none(reason: PlaceReason): undefined {
    this.#counted(reason);
    return undefined;
  }

  /** A share whose last place was freed has been forgotten, so it is looked up after that. */
  #shareOf(address: string): Share {
    const share = this.#shares.get(address) ?? { address, places: new Set(), idle: new Set() };
    this.#shares.set(address, share);
    return share;
  }

  #released(share: Share): void {
    this.#size -= 1;
    if (share.places.size === 0) this.#shares.delete(share.address);
  }

  /** Frees a place, or some, of the largest share that can give one. @returns whether one was found */
  #free(shares: readonly Share[], reason: PlaceReason): boolean {
    const [oldest] = mostWithIdle(shares)?.idle ?? [];
    if (oldest !== undefined) return this.#close([oldest], reason);
    for (const { places } of shares.toSorted(bySize)) {
      const receiving = [...places].filter(({ held }) => held.isReceiving()).slice(0, RECEIVING_AT_ONCE);
      if (receiving.length > 0) return this.#close(receiving, reason);
    }
    return false;
  }

  #close(places: readonly Place[], reason: PlaceReason): true {
    for (const place of places) {
      place.release();
      this.#counted(reason);
      place.held.close();
    }
    return true;
  }
}
