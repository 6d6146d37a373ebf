// Control and format characters (among them those that change the direction of text), separators of lines, private and
// unassigned characters, and halves of surrogate pairs.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a stranger as a message may show it: each character that can't be printed is `�`, and a longer text is cut.
 * @param most characters, without the `…` at the end of a text that was cut
 */
export function shownText(text: string, most: number): string {
  const whole = text.length <= most ? text : `${text.slice(0, most)}…`;
  return whole.replaceAll(UNPRINTABLE, '\ufffd');
}
