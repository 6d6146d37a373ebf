/** One `--flag`, described once: parsing, usage errors, help, documentation and completion use this description. */
export interface Flag {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Name of its value in the help (`FILE`); absent: the flag takes no value. */
  readonly value?: string;
  /** The flag is written alone, or with a value behind `=`: `--secret`, `--secret=NAME`. */
  readonly inline?: string;
  /** May be given several times. */
  readonly repeats?: true;
  /** Its values are as good with a dash at the start, as random base64url is. Default: such a value must follow `=`. */
  readonly valuesBeginWithDash?: true;
  /** Its description in the help. */
  readonly text: string;
  /** The default value, as it would be written. */
  readonly fallback?: string;
  /** The default in words, where the value is not a fixed text: `keys in --data`. */
  readonly otherwise?: string;
  /** Possible values, for completion. */
  readonly values?: readonly string[];
}

/** A flag whose value has a parser. */
export interface ValueFlag<T> extends Flag {
  readonly value: string;
  /** @param flag with its dashes, for the message. @throws UsageError */
  readonly parse: (text: string, flag: string) => T;
}

/** A flag that always has a value. */
export interface DefaultFlag<T> extends ValueFlag<T> {
  readonly fallback: string;
}

/** Asks for help, in every program and verb. */
export const HELP_FLAG = { name: 'help', short: 'h', text: 'this text' } as const satisfies Flag;
