import { parsePointer } from '../json/pointer.ts';
import type { Finding } from '../manifest/finding.ts';

const BARE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const INDEX = /^(?:0|[1-9][0-9]*)$/;
const SEPARATOR = ' | ';
// A condition's message is at most 1 KiB (security.md S10); the rest is for the text around the findings.
const MAX_BYTES = 900;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function step(token: string): string {
  if (BARE.test(token)) return `.${token}`;
  return INDEX.test(token) ? `[${token}]` : `[${JSON.stringify(token)}]`;
}

/** `/execution/headers/X-Key` → `spec.execution.headers["X-Key"]`: the path in the file that a person edits. */
const pathOf = (base: string, pointer: string): string =>
  `${base}${(parsePointer(pointer) ?? []).map(step).join('')}`.replace(/^[.]/, '');

/** Cuts a text to at most `bytes` bytes of UTF-8, between characters. */
function cut(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  const decoded = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes));
  return `${decoded.replace(/\ufffd+$/, '')}…`;
}

const byPlace = (one: Finding, other: Finding): number => {
  const [a, b] = [`${one.pointer} ${one.code}`, `${other.pointer} ${other.code}`];
  return a < b ? -1 : Number(a > b);
};

/**
 * Findings as lines, sorted by place: each with its place, what to write there, and its code.
 * @param base what the pointers are relative to: `spec`, `spec.manifest`, or '' for the whole object
 */
export const findingLines = (findings: readonly Finding[], base: string): readonly string[] =>
  findings.toSorted(byPlace).map(({ pointer, detail, code }) => {
    const place = pathOf(base, pointer);
    return cut(`${place === '' ? '' : `${place}: `}${detail} (${code})`, MAX_BYTES);
  });

/** Findings as the text of a condition: as many lines as fit into 900 bytes. @param base as of `findingLines` */
export function explainFindings(findings: readonly Finding[], base: string): string {
  const lines = findingLines(findings, base);
  const shown: string[] = [];
  let room = MAX_BYTES;
  for (const line of lines) {
    const size = bytesOf(line) + SEPARATOR.length;
    if (shown.length > 0 && size > room) break;
    shown.push(line);
    room -= size;
  }
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [`and ${hidden} more`])].join(SEPARATOR);
}
