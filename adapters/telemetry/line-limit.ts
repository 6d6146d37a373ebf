import { errorCode } from '../../core/errors/error-code.ts';
import type { LogFields } from './port.ts';

/** Lines of one cause that were left out in a period. */
export interface LeftOut {
  /** The message that they share. */
  readonly message: string;
  readonly lines: number;
}

export interface LineLimitOptions {
  /** Ms since epoch. */
  readonly now: () => number;
  /** Writes a line about lines that were left out. */
  readonly report: (leftOut: LeftOut) => void;
}

/** Lines of one cause that are written whole in a period. */
const WHOLE_LINES = 3;
const PERIOD_MS = 10_000;
/** Most causes that are counted each by itself in a period. All others count as one. */
const MAX_CAUSES = 200;
const OTHERS = '';

interface Cause {
  readonly message: string;
  lines: number;
}

/** What lines of one cause share: ids, sizes and times in the text of an error don't make another cause. */
function causeOf(message: string, error: Error): string {
  const text = error.message.slice(0, 200).replaceAll(/[\w-]*\d[\w-]*/g, '#');
  return `${message}\n${error.name}\n${errorCode(error) ?? ''}\n${text}`;
}

/**
 * Limits the lines that hold an error. A full disk fails each request for the same cause: the first lines say it with
 * their stacks, and of the others the number is said once a period.
 */
export class LineLimit {
  readonly #options: LineLimitOptions;
  readonly #causes = new Map<string, Cause>();
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #leftOut = 0;

  constructor(options: LineLimitOptions) {
    this.#options = options;
  }

  /** Lines that were left out since the start. */
  leftOut(): number {
    return this.#leftOut;
  }

  /** Whether a line is written. */
  admits(message: string, fields: LogFields | undefined): boolean {
    const error = fields?.['error'];
    if (!(error instanceof Error)) return true;
    if (this.#options.now() >= this.#endsAt) this.flush();
    const cause = this.#causeFor(message, error);
    cause.lines += 1;
    if (cause.lines <= WHOLE_LINES) return true;
    this.#leftOut += 1;
    this.#timer ??= setTimeout(() => this.flush(), PERIOD_MS).unref();
    return false;
  }

  /** Ends the period: reports what was left out. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const causes = [...this.#causes.values()];
    this.#causes.clear();
    this.#endsAt = this.#options.now() + PERIOD_MS;
    for (const { message, lines } of causes)
      if (lines > WHOLE_LINES) this.#options.report({ message, lines: lines - WHOLE_LINES });
  }

  #causeFor(message: string, error: Error): Cause {
    const key = causeOf(message, error);
    const known = this.#causes.get(key);
    if (known !== undefined) return known;
    const isFull = this.#causes.size >= MAX_CAUSES;
    const others = isFull ? this.#causes.get(OTHERS) : undefined;
    if (others !== undefined) return others;
    const made = { message: isFull ? 'lines of many causes' : message, lines: 0 };
    this.#causes.set(isFull ? OTHERS : key, made);
    return made;
  }
}
