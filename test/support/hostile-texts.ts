/** Texts that try to become something else where they are shown, by what they try. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'the end of a script': '</script><!-- --><svg onload=alert(1)>',
  'quotes and entities': `"'><&amp;&#x3c;b&#62;]]>`,
  'control characters': 'a\u0000b\u0007c\bd\u007f',
  'escape sequences of a terminal': '\u001b[2J\u001b]0;owned\u0007\u001b[31mred',
  'eight-bit controls of a terminal': '\u009b31mred\u009d0;owned\u009c\u0085',
  'line breaks': 'one\r\ntwo\n---\nthree: four\u000b\u000c',
  'separators of JavaScript': 'one\u2028two\u2029three',
  'another direction': 'invoice\u202efdp.exe\u202c \u2066hidden\u2069',
  'no width': 'ac\u200bme\u200d\u2060\ufeff\u00ad',
  'invisible tags': 'a\u{e0061}\u{e0062}\u{e007f}',
  YAML: '- !!js/function "x"\n&a *a : {{x}} # no',
};

/**
 * What a terminal acts on, or what makes a text look like another one: controls except line breaks, invisible and
 * bidirectional marks, half of a surrogate pair, line separators.
 */
export const ACTS_ON_TERMINAL = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
