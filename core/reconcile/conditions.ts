/** One condition of a status, as `metav1.Condition`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, from the documented list. */
  readonly reason: string;
  /** At most 1 KiB; no times, no values, no bodies (security.md S10). */
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339, whole seconds; moves only with `status`. */
  readonly lastTransitionTime: string;
}

/** A condition that a plan wants; `withTransitions` fills in generation and time. */
export type WantedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

const MAX_MESSAGE = 1024;

const rfc3339 = (now: number): string => new Date(Math.floor(now / 1000) * 1000).toISOString().replace('.000Z', 'Z');

/**
 * Cuts a message to 1024 UTF-16 units, because a cut by UTF-8 bytes could split a character. A unit is one byte only
 * for ASCII.
 */
const shortened = (message: string): string =>
  message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 1).toWellFormed()}…`;

/**
 * Conditions as they are written, sorted by type: `lastTransitionTime` stays while `status` does (operator.md A9).
 * @param before conditions in the current status
 * @param now ms since epoch
 */
export function withTransitions(
  wanted: readonly WantedCondition[],
  before: readonly Condition[],
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition[] {
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return wanted
    .map((condition) => {
      const last = known.get(condition.type);
      const lastTransitionTime = last?.status === condition.status ? last.lastTransitionTime : rfc3339(now);
      return {
        ...condition,
        message: shortened(condition.message),
        observedGeneration: generation,
        lastTransitionTime,
      };
    })
    .toSorted((one, other) => (one.type < other.type ? -1 : 1));
}
