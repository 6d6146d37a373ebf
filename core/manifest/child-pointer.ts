/** JSON Pointer of a member or an element of what `pointer` names (RFC 6901 §3). */
export const childPointer = (pointer: string, token: string | number): string =>
  `${pointer}/${typeof token === 'number' ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
