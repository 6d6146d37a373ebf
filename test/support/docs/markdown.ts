const FENCED = /^```.*?^```$/gms;

/** Text of a page without its fenced blocks; lines keep their numbers. */
const proseOf = (text: string): string => text.replaceAll(FENCED, (block) => '\n'.repeat(block.split('\n').length - 1));

/** Headings of a page, without their marks. */
export const headingsOf = (text: string): readonly string[] =>
  [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

/** The anchor that a heading gets. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** Targets of the links of a page, without links in code. */
export const linksOf = (text: string): readonly string[] =>
  [
    ...proseOf(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, target = '']) => target);

/** First cells of the table rows of a text, without their backticks. */
export const firstCellsOf = (text: string): readonly string[] =>
  [...proseOf(text).matchAll(/^\| *`?([^|`]+?)`? *\|/gm)].map(([, cell = '']) => cell);
