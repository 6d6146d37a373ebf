import { HOLE, SEAM, wholeText, type SharedText } from '../../../core/json/shared-text.ts';
import { faultOfText } from '../sqlite/packed-record.ts';

/** A text on its way to the writer's thread; a shared one as its own parts, joined by `HOLE`. */
export type TextColumns = readonly [
  text: string,
  /** Empty: the text is whole. */
  shared: string,
];

export const textColumns = (text: string | SharedText): TextColumns =>
  typeof text === 'string' ? [text, ''] : [text.own.join(HOLE), text.shared];

export const wholeColumns = ([text, shared]: TextColumns): string =>
  shared === '' ? text : wholeText({ shared, own: text.split(HOLE) });

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Why a text can't be part of a record; undefined: it can. */
export function faultOfColumns([text, shared]: TextColumns, maxBytes: number): string | undefined {
  if (shared === '') return faultOfText(text, maxBytes);
  const holes = countOf(shared, HOLE);
  if (holes === 0 || countOf(text, HOLE) !== holes - 1 || text.includes(SEAM))
    return 'a shared text has a part of its own for each hole';
  // Texts of ASCII, which most are, have as many bytes as characters.
  return faultOfText(shared, maxBytes) ?? faultOfText(text, maxBytes - shared.length);
}
