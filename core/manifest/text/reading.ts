import type { JsonValue } from '../../json/json-value.ts';
import { lookup, parsePointer } from '../../json/pointer.ts';
import { shownPointer } from '../child-pointer.ts';
import type { Finding } from '../finding.ts';
import { offsetInside } from './inner-place.ts';

// A text of another format would give very many findings without use, and each place costs a scan of the text.
const MAX_FINDINGS = 50;

/** Findings and offsets of one pass over a text. */
export interface Reading {
  readonly text: string;
  readonly findings: Finding[];
  /** JSON Pointer of a value → where it begins in the text, in UTF-16 units. */
  readonly offsets: Map<string, number>;
}

/** Whether no more findings are taken. */
export const isFull = ({ findings }: Pick<Reading, 'findings'>): boolean => findings.length === MAX_FINDINGS;

/** Line and column of an offset, both from 1. Only `\n` ends a line, as in editors. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  return { line: lines.length, column: before.length - before.lastIndexOf('\n') };
}

export const openReading = (text: string): Reading => ({ text, findings: [], offsets: new Map() });

/** Adds an error with its place, up to 50 errors. It returns undefined, so that a reader can return its result. */
export function report(
  reading: Reading,
  offset: number,
  fault: { readonly code: string; readonly pointer: string; readonly detail: string },
): undefined {
  if (isFull(reading)) return undefined;
  const pointer = shownPointer(fault.pointer);
  reading.findings.push({ ...fault, pointer, severity: 'error', ...placeOf(reading.text, offset) });
  return undefined;
}

/** Adds places to findings about the value: the place of the member, or of the nearest value around it. */
export function withPlaces(reading: Reading, findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    if (finding.line !== undefined) return finding;
    let { pointer } = finding;
    while (pointer !== '' && !reading.offsets.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf('/'));
    return { ...finding, ...placeOf(reading.text, reading.offsets.get(pointer) ?? 0) };
  });
}

/** Offset of a line and column, both from 1. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, column - 1);
}

/**
 * Adds places to findings about expressions, such as those of policies: their line and column count from the beginning
 * of the text at the pointer. A finding without a line gets the place of its value.
 */
export function withInnerPlaces(reading: Reading, value: JsonValue, findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    const { line, column = 1, pointer, ...rest } = finding;
    const text = lookup(value, parsePointer(pointer) ?? []);
    const offset = reading.offsets.get(pointer);
    if (line === undefined || typeof text !== 'string' || offset === undefined) {
      return withPlaces(reading, [{ ...rest, pointer }])[0] ?? finding;
    }
    const at = offsetInside(reading.text, offset, text, offsetOf(text, line, column));
    return { ...rest, pointer, ...placeOf(reading.text, at) };
  });
}
