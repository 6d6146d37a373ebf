import type { Aim } from './aims.ts';
import type { StepCounts } from './steps.ts';

/**
 * Chooses aims: in turn the one whose step was hit least, and any. So each step is hit soon, also the steps that a
 * slow or busy machine makes rare.
 */
export class AimPlan {
  readonly #aims: readonly Aim[];
  readonly #counts: StepCounts;
  readonly #random: () => number;
  readonly #tries = new Map<Aim, number>();
  #turns = 0;

  /** @param random in [0, 1), seeded */
  constructor(aims: readonly Aim[], counts: StepCounts, random: () => number) {
    this.#aims = aims;
    this.#counts = counts;
    this.#random = random;
  }

  /** @param isPossible whether there is a version for such an act */
  next(isPossible: (aim: Aim) => boolean): Aim {
    const possible = this.#aims.filter(isPossible);
    this.#turns += 1;
    const drawn = this.#turns % 3 === 0 ? this.#any(possible) : this.#least(possible);
    if (drawn === undefined) throw new Error('no aim is possible');
    this.#tries.set(drawn, this.#triesOf(drawn) + 1);
    return drawn;
  }

  readonly #triesOf = (aim: Aim): number => this.#tries.get(aim) ?? 0;

  #any(aims: readonly Aim[]): Aim | undefined {
    return aims[Math.floor(this.#random() * aims.length)];
  }

  #least(aims: readonly Aim[]): Aim | undefined {
    const rank = (aim: Aim): number => this.#counts.of(aim.kind, aim.step) * 1000 + this.#triesOf(aim);
    const least = Math.min(...aims.map(rank));
    return this.#any(aims.filter((aim) => rank(aim) === least));
  }
}
