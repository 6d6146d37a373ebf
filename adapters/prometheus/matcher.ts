const MAX_LENGTH = 512;
// A label, an operator and a quoted text. Only the escapes `\\`, `\"` and `\n` are accepted.
const MATCHER = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\\p{Cc}]|\\[\\"n])*")\s*(,|$)/u;
/** Labels of our metrics: our own queries set matchers for them. */
const OUR_LABELS = new Set(['__name__', 'orb_namespace', 'orb_id', 'provider', 'source', 'outcome', 'kind', 'le']);

/** `matcher` is the text between the braces of a selector, in normalised form. */
type ParsedMatcher = { readonly ok: true; readonly matcher: string } | { readonly ok: false; readonly message: string };

const wrong = (message: string): ParsedMatcher => ({ ok: false, message });

/**
 * Parses label matchers of PromQL, `job="orb-api",namespace="orb-system"`. Any other text is refused, because the
 * result becomes part of queries. Prometheus itself checks regular expressions.
 * @param text at least one matcher, ≤ 512 characters in all
 */
export function parseMatcher(text: string): ParsedMatcher {
  if (text.length > MAX_LENGTH) return wrong(`it has more than ${MAX_LENGTH} characters`);
  const found: string[] = [];
  let [rest, end] = [text, ','];
  while (end === ',') {
    const match = MATCHER.exec(rest);
    if (match === null) return wrong(`there is no matcher at ${JSON.stringify(rest.slice(0, 40))}`);
    const [whole, label = '', operator = '', value = '', next = ''] = match;
    if (OUR_LABELS.has(label))
      return wrong(`${label} is a label of the metrics themselves; name one that a scrape adds`);
    found.push(`${label}${operator}${value}`);
    [rest, end] = [rest.slice(whole.length), next];
  }
  return { ok: true, matcher: found.join(',') };
}
