import type { Piece, Scope } from './scope.ts';
import type { Position } from './position.ts';
import type { Chunk, Reference } from './span.ts';

/** Replaces a placeholder in marked text. No URL, JSON or XML can contain it, so it is unambiguous. */
export const MARK = '\0';

/** A field as one text, so that a grammar can parse across its placeholders; `references` in the order of the marks. */
export interface Marked {
  readonly text: string;
  readonly references: readonly Reference[];
}

/** @returns undefined when the literal text contains the mark itself */
export function markPieces(pieces: readonly Piece[]): Marked | undefined {
  if (pieces.some((piece) => piece.kind === 'text' && piece.text.includes(MARK))) return undefined;
  return {
    text: pieces.map((piece) => (piece.kind === 'text' ? piece.text : MARK)).join(''),
    references: pieces.flatMap((piece) => (piece.kind === 'text' ? [] : [piece])),
  };
}

/** Turns marked text back into chunks, in order, from left to right. */
export interface Unmarker {
  /** Chunks of the next part of the marked text; each mark takes the next reference. */
  readonly chunks: (text: string, position: Position) => readonly Chunk[];
}

export function unmark(references: readonly Reference[], scope: Scope): Unmarker {
  let next = 0;
  const hole = (position: Position): readonly Chunk[] => {
    const reference = references[next];
    next += 1;
    return reference === undefined ? [] : [scope.hole(reference, position)];
  };
  const chunks = (text: string, position: Position): readonly Chunk[] =>
    text
      .split(MARK)
      .flatMap((literal, index) => [
        ...(index === 0 ? [] : hole(position)),
        ...(literal === '' ? [] : [{ kind: 'text', text: literal } as const]),
      ]);
  return { chunks };
}
