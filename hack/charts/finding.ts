/** A fault that a check found. */
export interface Finding {
  /** The chart and the values that it was rendered with, or a file. */
  readonly where: string;
  /** What is wrong, so that a person can correct it. */
  readonly what: string;
}

/** One finding for each line of a tool's output that is not empty. */
export const findingsOf = (where: string, output: string): readonly Finding[] =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((what) => ({ where, what }));
