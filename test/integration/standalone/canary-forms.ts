import { randomBytes } from 'node:crypto';

/** A secret of the canary test, with the random parts of it that must show up nowhere. */
export interface Canary {
  readonly entry: string;
  readonly value: string;
  /** 32 characters of base64url each, found nowhere else. */
  readonly cores: readonly string[];
}

const core = (): string => randomBytes(24).toString('base64url');

function canary(entry: string, build: (cores: readonly [string, string]) => string): Canary {
  const cores = [core(), core()] as const;
  const value = build(cores);
  return { entry, value, cores: cores.filter((part) => value.includes(part)) };
}

/** Unique values of every awkward kind; only the first two may stand in a header. */
export const makeCanaries = (): readonly Canary[] => [
  canary('CNRY_TOKEN', ([one]) => `cnry-${one}`),
  canary('CNRY_QUOTES', ([one, two]) => String.raw`cnry-${one}"'<b>&amp;\/%41%zz +=${two}`),
  canary('CNRY_UNICODE', ([one, two]) => `cnry-${one}é€🙂\u202e${two}`),
  canary('CNRY_LINES', ([one, two]) => `cnry-${one}\r\nline "two"\n\t${two}`),
  canary('CNRY_NEWLINE', ([one]) => `cnry-${one}\n`),
  canary('CNRY_LONG', ([one, two]) => `cnry-${one}${randomBytes(3012).toString('base64url')}${two}`),
];

/** Base64 of what stands behind 0, 1 or 2 unknown bytes: the characters that hold bits of `text` alone. */
function base64Of(text: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'x'.repeat(before)}${text}`).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6));
  });
}

/**
 * Spellings under which a core can stand in a text. Percent, HTML and JSON leave its letters as they are, so its plain
 * form finds them; every value that holds it in base64 holds one of its three alignments.
 */
function spellings(part: string): readonly string[] {
  const plain = base64Of(part);
  const url = plain.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(part).toString('hex');
  const units = Array.from(part, (unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const escaped = units.map((unit) => String.raw`\u${unit}`).join('');
  const percent = units.map((unit) => `%${unit.slice(2)}`).join('');
  return [part, ...plain, ...url, hex, hex.toUpperCase(), escaped, percent, percent.toUpperCase()];
}

/** Where a canary was seen, with the spelling. */
export interface Sighting {
  readonly place: string;
  readonly entry: string;
  readonly spelling: string;
}

/** @returns a search for every spelling of every canary, in named texts or bytes */
export function finder(
  canaries: readonly Canary[],
): (places: Iterable<readonly [string, string | Buffer]>) => Sighting[] {
  const wanted = canaries.flatMap(({ entry, cores }) =>
    cores.flatMap((part) => [...new Set(spellings(part))].map((spelling) => ({ entry, spelling }))),
  );
  return (places) => {
    const found: Sighting[] = [];
    for (const [place, content] of places)
      for (const { entry, spelling } of wanted) if (content.includes(spelling)) found.push({ place, entry, spelling });
    return found;
  };
}
