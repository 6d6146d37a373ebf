/** An error of the YAML parser: its code, and where it stands in the text. */
interface ParserError {
  readonly code: string;
  readonly pos: readonly [number, number];
  /** The library's words. They may quote the file, which may be a Secret: only its own fixed words may be looked for. */
  readonly message: string;
}

/** What a person has to change, and the place to look at, in UTF-16 units. */
export interface YamlFault {
  readonly offset: number;
  readonly detail: string;
}

export const QUOTE_PLACEHOLDER =
  'In YAML a value that begins with {{ is read as a map: quote the value, as in "{{inputs.text}}/path".';

// In place of the library's error texts: they may quote the file, which may be a Secret.
const MALFORMED = 'The YAML is not well formed at this place.';

const DETAILS: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'The line is indented with a tab: YAML takes spaces only, so replace the tab.'],
  ['BLOCK_AS_IMPLICIT_KEY', 'A second ": " stands on this line: quote the value, or begin a new line.'],
  ['BAD_SCALAR_START', 'A value can not begin with this character: quote the value.'],
  ['MULTILINE_IMPLICIT_KEY', 'A member is missing its colon and a space behind it: write NAME: VALUE.'],
  ['BAD_DQ_ESCAPE', 'This escape is not known in double quotes: write \\\\ for a backslash, or use single quotes.'],
]);

/** `{` and `[` that nothing closes; `undefined` when the error is of another kind. */
function openBracket(text: string, { code, pos, message }: ParserError): YamlFault | undefined {
  const isFlow = /^Flow (?:map|sequence) /.test(message);
  if (!isFlow || (code !== 'BAD_INDENT' && code !== 'MISSING_CHAR')) return undefined;
  const [open, close] = message.startsWith('Flow map') ? ['{', '}'] : ['[', ']'];
  const offset = lastOpen(text.slice(0, pos[0]), open, close);
  return { offset, detail: `Nothing closes this "${open}": add "${close}".` };
}

/** The last bracket before the end of a text that is not closed there. Quoted brackets are rare, and only move the place. */
function lastOpen(before: string, open: string, close: string): number {
  let closed = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    if (before[at] === close) closed += 1;
    else if (before[at] === open && closed === 0) return at;
    else if (before[at] === open) closed -= 1;
  }
  return before.length;
}

function openQuote({ code, pos, message }: ParserError): YamlFault | undefined {
  if (code !== 'MISSING_CHAR') return undefined;
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  if (quote !== undefined)
    return { offset: pos[0], detail: `A text that begins with ${quote} has no closing ${quote}.` };
  return { offset: pos[0], detail: 'A member has no value here: write NAME: VALUE.' };
}

/** A value that begins with an unquoted `{{` on the line of a place. */
const BARE_PLACEHOLDER = /(?:^|[:\-,[])[ \t]*(?=\{\{)/g;

function barePlaceholder(text: string, [at]: readonly [number, number]): YamlFault | undefined {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const found = [...text.slice(start, at).matchAll(BARE_PLACEHOLDER)].at(-1);
  return found === undefined ? undefined : { offset: start + found.index + found[0].length, detail: QUOTE_PLACEHOLDER };
}

function wrongIndent({ code, pos, message }: ParserError): YamlFault | undefined {
  if (code !== 'BAD_INDENT' || !/^All .* items must start/.test(message)) return undefined;
  return {
    offset: pos[0],
    detail: 'Members of one map begin in the same column: indent this line as the one before it.',
  };
}

/** Says in words of our own what is wrong with a YAML text, and where to change it. */
export function explainYaml(text: string, error: ParserError): YamlFault {
  return (
    barePlaceholder(text, error.pos) ??
    openBracket(text, error) ??
    openQuote(error) ??
    wrongIndent(error) ?? { offset: error.pos[0], detail: DETAILS.get(error.code) ?? MALFORMED }
  );
}

/** Whether the map that begins at a place is a placeholder without quotes. */
export const isBarePlaceholder = (text: string, offset: number): boolean => text.startsWith('{{', offset - 1);
