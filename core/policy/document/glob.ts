/**
 * A test for texts of one pattern, where `*` stands for any text, also for none.
 * Linear in the text for each star; the pattern is never turned into a regular expression.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(start)) return false;
    let at = start.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - end.length >= at && text.endsWith(end);
  };
}
