/** What YAML 1.1 and 1.2 readers see as different characters or documents, wherever it stands in a text. */
const RULES = [
  {
    pattern: /(?![\t\n\r])\p{Cc}|[\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)/u,
    code: 'yaml-character',
    detail:
      'Control characters, lone carriage returns and Unicode line breaks are read in different ways; write an escape in double quotes.',
  },
  { pattern: /^%/m, code: 'yaml-directive', detail: 'Directives are not read; remove the line.' },
  {
    pattern: /^---(?:[^\s]|[ \t]+[^\s#])/m,
    code: 'yaml-document-start',
    detail: 'Parsers disagree about text on the line of ---; write it on the next line.',
  },
  {
    pattern: /^[.]{3}(?:\s|$)/m,
    code: 'yaml-document-end',
    detail: 'kubectl stops at this line; write --- between documents.',
  },
];

/** A reason why a text is not parsed, and the first place that has it. */
export interface StreamFault {
  readonly offset: number;
  readonly code: string;
  readonly detail: string;
}

/** Every reason to refuse a text before it is parsed. */
export const streamFaults = (text: string): readonly StreamFault[] =>
  RULES.flatMap(({ pattern, code, detail }) => {
    const offset = text.search(pattern);
    return offset === -1 ? [] : [{ offset, code, detail }];
  });
