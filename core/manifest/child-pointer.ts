import { shownText } from './shown-text.ts';

/** JSON Pointer of a member or an element of the value at `pointer` (RFC 6901 §3). */
export const childPointer = (pointer: string, token: string | number): string =>
  `${pointer}/${typeof token === 'number' ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const MAX_SHOWN = 1024;

/** The pointer for a finding; `''`, the whole document, when hostile names make it longer than 1024 characters. */
export const shownPointer = (pointer: string): string => (pointer.length > MAX_SHOWN ? '' : pointer);

const MAX_TOKEN = 64;

/** A pointer as an answer may show it: each name is printable and has at most 64 characters. */
export const printedPointer = (pointer: string): string =>
  shownPointer(pointer)
    .split('/')
    .map((token) => shownText(token, MAX_TOKEN))
    .join('/');
