import { nearestName } from '../manifest/nearest.ts';

const FORMS = 'Write a JSON Pointer into the answer: /status, /headers/NAME or /body/…';
const HEADS = ['body', 'headers', 'status'];
/** Text that is worth a guess: a path of names, and not a page of text. */
const PATH = /^[A-Za-z0-9_$@-][A-Za-z0-9_$@.[\]/'" -]{0,127}$/;

/** The tokens of a pointer, of `data.items[0].id`, or of a JSONPath. */
const tokensOf = (text: string): readonly string[] =>
  text
    .replace(/^\$\.?/, '')
    .split(/[/.[\]'"\s]+/)
    .filter((token) => token !== '');

/** The part of the answer that the first token names; undefined: it is already a member of the body. */
function partOf(head: string, hasMore: boolean): string | undefined {
  const lower = head.toLowerCase();
  if (HEADS.includes(lower)) return lower;
  return hasMore ? nearestName(head, HEADS) : undefined;
}

/** The pointer that a wrong `from` was probably meant to be. */
function meantBy(from: string): string | undefined {
  const text = from.replace(/^[/#]+/, '');
  if (!PATH.test(text)) return undefined;
  const tokens = text.includes('/') && !text.startsWith('$') ? text.split('/') : tokensOf(text);
  if (tokens.includes('')) return undefined;
  const [head = '', ...rest] = tokens;
  const part = partOf(head, rest.length > 0);
  if (part === 'status') return '/status';
  return `/${(part === undefined ? ['body', ...tokens] : [part, ...rest]).join('/')}`;
}

/** One sentence about a `from` that is no place in an answer: which pointer to write. */
export function adviseFrom(from: string): { readonly detail: string; readonly suggestion?: string } {
  const suggestion = meantBy(from);
  return suggestion === undefined ? { detail: `${FORMS}.` } : { detail: `${FORMS}: here ${suggestion}.`, suggestion };
}
