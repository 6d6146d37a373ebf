import type { ProblemError } from './problem-options.ts';

const INTEGER = /^(?:0|[1-9][0-9]{0,15})$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3})?Z$/;

export type Query<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly ProblemError[] };

/**
 * Reads the query parameters of one request and collects all faults. A parameter that the route does not have is an
 * error: a misspelt filter would silently show too much.
 */
export class QueryReader {
  readonly #query: URLSearchParams;
  readonly #errors: ProblemError[] = [];

  constructor(query: URLSearchParams, known: readonly string[]) {
    this.#query = query;
    for (const name of new Set(query.keys())) {
      // The answer repeats only known names.
      if (!known.includes(name)) this.#fail('parameter-unknown', `Parameters here: ${known.join(', ')}.`, undefined);
      else if (query.getAll(name).length > 1) this.#fail('parameter-twice', 'Give it once.', name);
    }
  }

  #fail(code: string, detail: string, parameter: string | undefined): void {
    this.#errors.push({ ...(parameter === undefined ? {} : { parameter }), code, detail });
  }

  /** @param accepts guard of the valid values; `expected` describes them in words */
  text<T extends string>(name: string, accepts: (text: string) => text is T, expected: string): T | undefined {
    const value = this.#query.get(name);
    if (value === null) return undefined;
    if (accepts(value)) return value;
    this.#fail('parameter-malformed', `Expected: ${expected}.`, name);
    return undefined;
  }

  /** Exactly `true` or `false`; false when absent. */
  flag(name: string): boolean {
    const value = this.#query.get(name);
    if (value !== null && value !== 'true' && value !== 'false')
      this.#fail('parameter-malformed', 'Expected: true or false.', name);
    return value === 'true';
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.#query.get(name);
    if (value === null) return undefined;
    const number = INTEGER.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.#fail('parameter-malformed', `Expected: an integer from ${min} to ${max}.`, name);
    return undefined;
  }

  /** Like `integer`, but absence is an error too. */
  needed(name: string, min: number, max: number): number {
    if (!this.#query.has(name)) this.#fail('parameter-missing', `Give an integer from ${min} to ${max}.`, name);
    return this.integer(name, min, max) ?? Number.NaN;
  }

  /** A UTC time of RFC 3339. @returns ms since epoch */
  time(name: string): number | undefined {
    const value = this.#query.get(name);
    if (value === null) return undefined;
    const ms = TIME.test(value) ? Date.parse(value) : Number.NaN;
    // The parser turns 02-30 into a day of March: the day must stay the same.
    if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value.slice(0, 10))) return ms;
    this.#fail('parameter-malformed', 'Expected: a UTC time like 2026-11-20T10:00:00Z.', name);
    return undefined;
  }

  /** @param value built from the results of the reads above; ignored when a read failed */
  result<T>(value: T): Query<T> {
    return this.#errors.length === 0 ? { ok: true, value } : { ok: false, errors: this.#errors };
  }
}
