/** The steps of a run at which R9 (docs/design/reliability.md §4.2) kills, in their order. */
export const STEPS = [
  'authenticated',
  'policy',
  'started-row',
  'send',
  'headers',
  'body',
  'receipt commit',
  'answer',
] as const;
export type Step = (typeof STEPS)[number];

/** What a caller gets who repeats the run of a kill with its `Idempotency-Key`. */
type Repeated =
  /** Nothing of it was kept: it runs now, for the first time. */
  | 'anew'
  /** It began and its end is unknown: 409, and after the sweeper its answer. */
  | 'open'
  /** Its receipt was kept: the answer that it had. */
  | 'kept'
  /** Nothing of it was kept: it is denied again. */
  | 'denied';

/** One way to kill at a step. */
export interface Aim {
  readonly step: Step;
  /**
   * `body half sent`: the caller keeps the rest of its body, and the platform waits for it. `provider`: the answer of the
   * provider stands still there. Anything else is a point of `kill-point.ts`.
   */
  readonly at: string;
  readonly repeated: Repeated;
  /** Requests that the provider got of the run before the kill. */
  readonly calls: number;
}

/** The kills of a step take its aims in turn. */
export const AIMS: readonly Aim[] = [
  { step: 'authenticated', at: 'body half sent', repeated: 'anew', calls: 0 },
  { step: 'policy', at: 'start before its row', repeated: 'anew', calls: 0 },
  { step: 'policy', at: 'start before its row', repeated: 'denied', calls: 0 },
  { step: 'started-row', at: 'start before its commit', repeated: 'anew', calls: 0 },
  { step: 'started-row', at: 'start after its commit', repeated: 'open', calls: 0 },
  { step: 'send', at: 'provider', repeated: 'open', calls: 1 },
  { step: 'headers', at: 'provider', repeated: 'open', calls: 1 },
  { step: 'body', at: 'provider', repeated: 'open', calls: 1 },
  { step: 'receipt commit', at: 'receipt before its row', repeated: 'open', calls: 1 },
  { step: 'receipt commit', at: 'receipt before its commit', repeated: 'open', calls: 1 },
  { step: 'receipt commit', at: 'receipt after its commit', repeated: 'kept', calls: 1 },
  { step: 'answer', at: 'answer before its head', repeated: 'kept', calls: 1 },
];
