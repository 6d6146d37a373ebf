import { MARK } from './marked.ts';

export type XmlReading = 'read' | 'not-xml' | 'misplaced';

// Each pattern is matched where the last match ended. Only character data and attribute values may hold marks.
const CHARACTER_DATA = '[^<]+';
const COMMENT = '<!--[^\\0]*?-->';
const CDATA = '<!\\[CDATA\\[[^\\0]*?\\]\\]>';
const INSTRUCTION = '<\\?[^\\0]*?\\?>';
const DOCTYPE = '<!DOCTYPE[^\\0[\\]>]*>'; // no internal subset: entities of a template are not expanded here
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
 * Whether a marked XML text has placeholders only in character data and attribute values (security.md §4.1). It scans
 * markup, not structure: matching of tags is left to the author and the provider.
 * @returns `misplaced`: readable, except for a placeholder in a name, comment, CDATA, instruction or DOCTYPE
 */
export function readXmlTemplate(text: string): XmlReading {
  if (isReadable(text)) return 'read';
  return isReadable(text.replaceAll(MARK, 'x')) ? 'misplaced' : 'not-xml';
}
