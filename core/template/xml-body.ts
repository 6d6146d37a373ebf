import { MARK } from './marked.ts';

export type XmlReading = 'read' | 'not-xml' | 'misplaced';

// One step each, at the place where the last one ended. Only character data and attribute values may hold marks.
const CHARACTER_DATA = '[^<]+';
const COMMENT = '<!--[^\\0]*?-->';
const CDATA = '<!\\[CDATA\\[[^\\0]*?\\]\\]>';
const INSTRUCTION = '<\\?[^\\0]*?\\?>';
const DOCTYPE = '<!DOCTYPE[^\\0[\\]>]*>'; // without an internal subset: entities of a template are not ours to expand
const NAME = '[^\\s\\0"\'<>/=!?][^\\s\\0"\'<>/=]*';
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`;
const TAG = `<${NAME}(?:${ATTRIBUTE})*\\s*/?>|</${NAME}\\s*>`;
const STEP = new RegExp([CHARACTER_DATA, COMMENT, CDATA, INSTRUCTION, DOCTYPE, TAG].join('|'), 'y');

function isReadable(text: string): boolean {
  STEP.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    if (!STEP.test(text)) return false;
    at = STEP.lastIndex;
  }
  return true;
}

/**
 * Whether the placeholders of a marked XML text stand in character data and attribute values only (security.md §4.1).
 * Reads markup, not structure: that tags match is the author's business and the provider's answer.
 * @returns `misplaced`: readable but for a placeholder in a name, comment, CDATA, instruction or DOCTYPE
 */
export function readXmlTemplate(text: string): XmlReading {
  if (isReadable(text)) return 'read';
  return isReadable(text.replaceAll(MARK, 'x')) ? 'misplaced' : 'not-xml';
}
