import type { Ledger } from '../../adapters/ledger/port.ts';
import { PROFILE_HISTORY } from '../../core/reputation/profile.ts';
import { BoundedCache, CacheBudget } from './bounded-cache.ts';
import type { Listings } from './listings.ts';

type Source = Pick<Ledger, 'evaluation' | 'tierChanges' | 'certificate' | 'statusBits' | 'nextStatusIndex'>;
type Stored<Name extends keyof Source> = Awaited<ReturnType<Source[Name]>>;

/** trust.md §5.5 */
const MAX_BYTES = 32 * 1_048_576;
const NEXT = 'next';

/** Texts of the ledger are ASCII, but for few characters. */
const lengthOf = (...texts: readonly (string | undefined)[]): number =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);

/**
 * What profiles, certificates, badges and status lists are answered from, through one cache of 32 MiB. A version leaves
 * it when `Listings` notices a change of its rows; what is in it is answered while the ledger is away too.
 */
export class StoredReputation implements Source {
  readonly #ledger: Source;
  readonly #evaluations: BoundedCache<Stored<'evaluation'>>;
  readonly #changes: BoundedCache<Stored<'tierChanges'>>;
  readonly #certificates: BoundedCache<Stored<'certificate'>>;
  readonly #bits: BoundedCache<Stored<'statusBits'>>;
  readonly #next: BoundedCache<Stored<'nextStatusIndex'>>;

  constructor(ledger: Source, listings: Pick<Listings, 'watch'>) {
    this.#ledger = ledger;
    const budget = new CacheBudget(MAX_BYTES);
    this.#evaluations = new BoundedCache({
      budget,
      load: (orbId) => ledger.evaluation(orbId),
      bytesOf: (row) => lengthOf(row?.held, row?.profile),
    });
    this.#changes = new BoundedCache({
      budget,
      load: (orbId) => ledger.tierChanges(orbId, PROFILE_HISTORY),
      bytesOf: (rows) => lengthOf(...rows.map(({ entry }) => entry)),
    });
    this.#certificates = new BoundedCache({
      budget,
      load: (orbId) => ledger.certificate(orbId),
      bytesOf: (row) => lengthOf(row?.jwt),
    });
    this.#bits = new BoundedCache({
      budget,
      load: (list) => ledger.statusBits(Number(list)),
      bytesOf: (bits) => bits.length,
    });
    this.#next = new BoundedCache({ budget, load: () => ledger.nextStatusIndex(), bytesOf: () => 0 });
    listings.watch(({ orbs }) => this.#changed(orbs));
  }

  readonly evaluation: Source['evaluation'] = (orbId) => this.#evaluations.get(orbId);

  readonly tierChanges: Source['tierChanges'] = (orbId, limit) =>
    limit === PROFILE_HISTORY ? this.#changes.get(orbId) : this.#ledger.tierChanges(orbId, limit);

  readonly certificate: Source['certificate'] = (orbId) => this.#certificates.get(orbId);

  readonly statusBits: Source['statusBits'] = (list) => this.#bits.get(String(list));

  readonly nextStatusIndex: Source['nextStatusIndex'] = () => this.#next.get(NEXT);

  /** A certificate is written and revoked with the evaluation or the status of its version. */
  #changed(orbs: ReadonlySet<string>): void {
    for (const orbId of orbs) {
      this.#evaluations.drop(orbId);
      this.#changes.drop(orbId);
      this.#certificates.drop(orbId);
    }
    if (orbs.size === 0) return;
    this.#bits.dropAll();
    this.#next.drop(NEXT);
  }
}
