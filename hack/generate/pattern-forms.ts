/** What a pattern means, in words, for patterns whose fields say only what the value is for. */
export const PATTERN_FORMS: ReadonlyMap<string, string> = new Map([
  ['^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', 'lower-case letters, digits and "-", with a letter or digit at both ends'],
  ['^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$', 'lower-case letters, digits, "." and "-", with a letter or digit at both ends'],
  [
    '^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$',
    'names of lower-case letters, digits and "-" with dots between them',
  ],
  ['^[A-Za-z0-9._-]+$', 'letters, digits, ".", "_" and "-"'],
  ['^[A-Za-z0-9_-]+$', 'letters, digits, "_" and "-"'],
  ["^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "letters, digits and !#$%&'*+.^_`|~-, without a space or colon"],
  ['^[A-Za-z][A-Za-z0-9]*$', 'letters and digits, a letter first'],
  ['^[A-Za-z_][A-Za-z0-9_.-]*$', 'a letter or "_", then letters, digits, "_", "." and "-"'],
  ['^/', 'a text that begins with /'],
  ['^(/([^~/]|~[01])*)*$', 'parts that begin with /, where ~1 stands for / and ~0 for ~'],
]);
