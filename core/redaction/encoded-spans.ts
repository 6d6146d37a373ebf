import { DECODINGS } from './decodings.ts';
import { findSpans, joinSpans, type Search, type Span } from './spans.ts';
import { offsetInText, type View } from './view.ts';

/** A value may be encoded twice: JSON within JSON, a URL within a form. */
const DEPTH = 2;
/** In a larger text one encoding is taken off: each view costs as much as the text. */
const DEEP_BYTES = 262_144;

/** A view of the text, or of a view of it. */
interface Found {
  readonly bytes: Uint8Array;
  /** From the outermost to the innermost. */
  readonly views: readonly View[];
}

function viewsOf({ bytes, views }: Found): readonly Found[] {
  return DECODINGS.flatMap((decoding) => {
    const view = decoding(bytes);
    return view === undefined ? [] : [{ bytes: view.bytes, views: [...views, view] }];
  });
}

/** Every way to take up to two encodings off a text, in any order. */
function* allViews(text: Uint8Array): Generator<Found> {
  const most = text.length > DEEP_BYTES ? 1 : DEPTH;
  let outer: readonly Found[] = [{ bytes: text, views: [] }];
  for (let depth = 0; depth < most; depth += 1) {
    outer = outer.flatMap(viewsOf);
    yield* outer;
  }
}

const inText = (views: readonly View[], offset: number): number =>
  views.reduceRight((inner, view) => offsetInText(view, inner), offset);

/**
 * All parts of a text that hold a value: as one of its forms, or as a form that is encoded once or twice more. In order,
 * without overlaps.
 */
export function findEncodedSpans(search: Search, text: Uint8Array): readonly Span[] {
  const plain = findSpans(search, text);
  const encoded: Span[] = [];
  for (const { bytes, views } of allViews(text))
    for (const { start, end, entry } of findSpans(search, bytes))
      encoded.push({ start: inText(views, start), end: inText(views, end), entry });
  return encoded.length === 0 ? plain : joinSpans([...plain, ...encoded]);
}

/** What every encoded value has: an escape, an end of a line in code, or pairs of digits between separators. */
const ENCODED =
  /%[0-9A-Fa-f]{2}|\\|&(?:#|amp;|lt;|gt;|quot;|apos;)|[\w+/=-][\r\n]|[0-9A-Fa-f]{2}([ :-])[0-9A-Fa-f]{2}\1[0-9A-Fa-f]{2}\1/;
/** In a longer text its bytes are looked through faster. */
const SHORT = 4096;

/** Whether a text may hold an encoded value. */
export const mayBeEncoded = (text: string): boolean => text.length > SHORT || ENCODED.test(text);
