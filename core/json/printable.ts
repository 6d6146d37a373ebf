// Characters that a terminal acts on, or that make text look like other text: controls, line separators, invisible and
// bidirectional marks, unpaired surrogates.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A character as escapes of JSON. */
export const escapeCharacter = (character: string): string => character.split('').map(escapeUnit).join('');

/** Foreign text on one line, without characters that a terminal would act on. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);
