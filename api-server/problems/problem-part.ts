/** One row of the table: the answer to the caller for one code. */
export interface Problem {
  readonly status: number;
  /** The same for every occurrence (RFC 9457 §3.1.3). */
  readonly title: string;
  /** The next step for the caller. */
  readonly next: string;
  /** Seconds, as `Retry-After`. */
  readonly retryAfter?: number;
  /** The code is kept for a part that does not exist yet: nothing answers with it. */
  readonly reserved?: true;
}

/** The codes of one service. Codes are kebab-case, public and never reused for something else. */
export type ProblemPart = Readonly<Record<string, Problem>>;
