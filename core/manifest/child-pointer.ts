/** JSON Pointer of a member or an element of what `pointer` names (RFC 6901 §3). */
export const childPointer = (pointer: string, token: string | number): string =>
  `${pointer}/${typeof token === 'number' ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const MAX_SHOWN = 1024;

/** A pointer for a finding: one that hostile names make longer than 1024 characters becomes that of the whole document. */
export const shownPointer = (pointer: string): string => (pointer.length > MAX_SHOWN ? '' : pointer);
