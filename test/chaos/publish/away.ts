import type { CountingProxy } from '../rig/counting-proxy.ts';
import { INJECTED } from '../rig/rules.ts';

/** How the Kubernetes API is away: every request is refused, or none is answered. */
const KINDS = ['refused', 'silent'] as const;
type Kind = (typeof KINDS)[number];

/** How often, how soon after an act began, and how long after the next start began. */
const SHARE = 0.4;
const SOON_MS = 300;
const HEALED_MS = [500, 4000] as const;

/** Takes the Kubernetes API away from one process, and gives it back. */
export class KubernetesAway {
  readonly #proxy: CountingProxy;
  readonly #random: () => number;
  #kind: Kind | undefined;
  #timer: NodeJS.Timeout | undefined;
  #removeRule: (() => void) | undefined;

  /** @param proxy in front of the API server @param random in [0, 1), seeded */
  constructor(proxy: CountingProxy, random: () => number) {
    this.#proxy = proxy;
    this.#random = random;
  }

  /** Sometimes takes it away, at once or soon. @returns what it does; '': nothing */
  readonly begin = (): string => {
    if (this.#random() >= SHARE) return '';
    const kind = KINDS[Math.floor(this.#random() * KINDS.length)] ?? 'refused';
    const atOnce = this.#random() < 0.5;
    this.#kind = kind;
    if (atOnce) this.#take(kind);
    else this.#timer = setTimeout(() => this.#take(kind), this.#random() * SOON_MS);
    return `Kubernetes API ${kind}`;
  };

  #take(kind: Kind): void {
    if (kind === 'silent') {
      this.#proxy.partition();
      return;
    }
    this.#removeRule = this.#proxy.addRule(() => INJECTED.unavailable);
    this.#proxy.endWatches();
  }

  /** Gives it back some time after the next process has begun to start: without it, no process gets ready. */
  readonly endSoon = (): void => {
    if (this.#kind === undefined) return;
    clearTimeout(this.#timer);
    this.#kind = undefined;
    setTimeout(this.end, HEALED_MS[0] + this.#random() * (HEALED_MS[1] - HEALED_MS[0]));
  };

  readonly end = (): void => {
    clearTimeout(this.#timer);
    this.#removeRule?.();
    this.#removeRule = undefined;
    this.#proxy.heal();
  };
}
