/** Exit codes: the same in every verb, stable (packaging.md §6). */
export const EXIT = {
  ok: 0,
  /** A negative result: tampered, failed, findings. */
  negative: 1,
  /** The input is wrong, or the question can't be decided. */
  invalid: 2,
  /** Valid, but not trusted. */
  untrusted: 3,
  /** The service can't be reached, or can't serve. */
  unreachable: 4,
  usage: 64,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** An error that ends a verb early; the message is for people and holds no secrets. */
export class Failure extends Error {
  readonly exit: Exit;
  /** What to do next, a line each. */
  readonly next: readonly string[];
  constructor(exit: Exit, message: string, next: readonly string[] = []) {
    super(message);
    this.name = 'Failure';
    this.exit = exit;
    this.next = next;
  }
}

export const usage = (message: string, ...next: readonly string[]): Failure => new Failure(EXIT.usage, message, next);
export const invalid = (message: string, ...next: readonly string[]): Failure =>
  new Failure(EXIT.invalid, message, next);
