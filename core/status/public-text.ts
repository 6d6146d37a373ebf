/** Characters of a title that is shown to everybody. */
export const MAX_TITLE = 200;

// Control characters, and those that change the direction of the text around them.
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/** Text of others as the public pages show it: one line, well-formed, at most so many characters. */
export const publicText = (text: string, most: number = MAX_TITLE): string =>
  Array.from(text.toWellFormed().replaceAll(UNSHOWN, ' ').trim()).slice(0, most).join('');
