const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const MATCHERS = /\{[^}]*\}/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\b\s*(?:\([^)]*\))?/g;
const RANGES = /\[[^\]]*\]|\boffset\s+\w+/g;
const NAME = /[a-zA-Z_:][\w:]*(?!\w*\s*\()/g;
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'Inf', 'NaN', 'inf', 'nan']);

/** Names of the series that a query reads: the rest without texts, matchers, groupings and functions. */
export function seriesIn(promql: string): readonly string[] {
  const bare = [QUOTED, MATCHERS, GROUPING, RANGES].reduce((text, part) => text.replaceAll(part, ' '), promql);
  const names = [...bare.matchAll(NAME)].map(([name]) => name).filter((name) => !WORDS.has(name));
  return [...new Set(names)];
}
