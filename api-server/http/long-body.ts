/** A body of more bytes is read when it is its tenant's turn (`long-turns.ts`): it takes up to 100 ms. */
export const LONG_BYTES = 65_536;
