/** Facts beside a message. Names in snake_case; an `Error` is written with code, stack and causes, secrets removed. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log. A call must neither throw nor wait: lines are buffered and written later. Every line is redacted by value as
 * the last step (security.md §5), and fields that hold credentials or URLs by their name are dropped.
 */
export interface Logger {
  /** @param fields a function is called only when the line is written */
  readonly debug: (message: string, fields?: LogFields | (() => LogFields)) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
  /** A logger that adds these fields to every line; it shares buffer and redactors with its parent. */
  readonly child: (fields: LogFields) => Logger;
  /** Resolves when every line so far was handed to the file or stream. */
  readonly flush: () => Promise<void>;
}
