import type { JsonObject } from '../../core/json/json-value.ts';
import { exitCodeOf, type Verdict } from '../../core/verify/verdict.ts';
import { jsonText, printable } from '../io/output.ts';
import type { NewerKeys } from '../verdict/remember-keys.ts';
import { reportLine, reportValue } from '../verdict/report.ts';
import type { JudgedLine } from './judge-line.ts';
import type { LineBatch } from './line-batches.ts';

/** How many lines have each verdict. */
export type Counts = Readonly<Record<Verdict, number>>;

/** The verdicts on a batch of lines. */
export interface BatchVerdicts {
  /** What is printed: a line for each line. */
  readonly text: string;
  readonly counts: Counts;
  /** Keys documents that the trust store should know. */
  readonly newer: readonly NewerKeys[];
}

// Verdicts from the worst to the best. One tampered line proves a manipulation; a line that can't be decided may be one.
const WORST_FIRST = ['tampered', 'undecidable', 'untrusted', 'valid'] as const;

export const NO_LINES: Counts = { tampered: 0, undecidable: 0, untrusted: 0, valid: 0 };

export const add = (one: Counts, other: Counts): Counts => ({
  tampered: one.tampered + other.tampered,
  undecidable: one.undecidable + other.undecidable,
  untrusted: one.untrusted + other.untrusted,
  valid: one.valid + other.valid,
});

/** The exit code of the worst line. */
export const exitOf = (counts: Counts): 0 | 1 | 2 | 3 =>
  exitCodeOf(WORST_FIRST.find((verdict) => counts[verdict] > 0) ?? 'valid');

/** `8 lines: 1 tampered, 7 valid`. */
export function summaryOf(counts: Counts): string {
  const found = WORST_FIRST.filter((verdict) => counts[verdict] > 0);
  const all = found.reduce((sum, verdict) => sum + counts[verdict], 0);
  return `${all} ${all === 1 ? 'line' : 'lines'}: ${found.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ')}`;
}

/** A line that nothing is known about: it can't be decided. */
function unjudgedValue(why: string): JsonObject {
  const nothing = { signature_valid: false, checks: [], key: null, log: null, keys: null, record: null };
  return { verdict: 'undecidable', code: 'not_verified', exit: exitCodeOf('undecidable'), ...nothing, error: why };
}

export const verdictOfLine = (judged: JudgedLine): Verdict =>
  judged.kind === 'judged' ? judged.report.verification.verdict : 'undecidable';

/** The verdict on one line, on one line of text with its number. */
export function lineText(number: number, judged: JudgedLine, isJson: boolean): string {
  if (isJson) {
    const value = judged.kind === 'judged' ? reportValue(judged.report) : unjudgedValue(judged.why);
    return `${jsonText({ line: number, ...value }, 0)}\n`;
  }
  const text = judged.kind === 'judged' ? reportLine(judged.report) : `undecidable; not_verified: ${judged.why}`;
  return `${number}: ${printable(text)}\n`;
}

/** Verdicts on lines that were lost. */
export function unjudgedBatch({ first, count }: LineBatch, why: string, isJson: boolean): BatchVerdicts {
  const judged = { kind: 'unjudged', why } as const;
  const lines = Array.from({ length: count }, (_, index) => lineText(first + index, judged, isJson));
  return { text: lines.join(''), counts: { ...NO_LINES, undecidable: count }, newer: [] };
}
