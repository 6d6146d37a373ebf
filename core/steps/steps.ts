/** Work in pieces of a few milliseconds: each `next()` does one. So a caller can let other work go on in between. */
export type Steps<T> = Generator<undefined, T>;

/** Does all pieces at once. */
export function toEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
