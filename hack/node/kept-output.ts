/** What a part prints that runs beside another one: kept, so that the lines of the two do not mix. */
export interface KeptOutput {
  readonly write: (chunk: Uint8Array | string) => void;
  /** Prints what was kept; all that follows is printed at once. */
  readonly show: () => void;
}

/** @param print receives the chunks in the order in which they were written */
export function keptOutput(print: (chunk: Uint8Array | string) => void): KeptOutput {
  const kept: (Uint8Array | string)[] = [];
  let shown = false;
  return {
    write: (chunk) => void (shown ? print(chunk) : kept.push(chunk)),
    show: () => {
      shown = true;
      for (const chunk of kept.splice(0)) print(chunk);
    },
  };
}
