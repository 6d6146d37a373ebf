/** Gives other work of a thread a turn between short pieces of work. */
export interface Pauses {
  /** To call between two pieces of work. @returns undefined: nothing has to be waited for */
  readonly rest: () => Promise<void> | undefined;
}

/** For a thread that has no other work. */
export const NO_PAUSES: Pauses = { rest: () => undefined };
