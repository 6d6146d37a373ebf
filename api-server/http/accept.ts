interface Range {
  readonly type: string;
  readonly q: number;
}

const QVALUE = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** Weight of one element; undefined when it is malformed, which drops the element. */
function qualityOf(parameters: readonly string[]): number | undefined {
  const q = parameters.map((text) => text.trim()).find((text) => /^q\s*=/i.test(text));
  if (q === undefined) return 1;
  const value = q.slice(q.indexOf('=') + 1).trim();
  return QVALUE.test(value) ? Number(value) : undefined;
}

function ranges(header: string): readonly Range[] {
  return header.split(',').flatMap((element) => {
    const [type = '', ...parameters] = element.split(';');
    const q = qualityOf(parameters);
    return q === undefined || type.trim() === '' ? [] : [{ type: type.trim().toLowerCase(), q }];
  });
}

/**
 * The most specific range decides (RFC 9110 §12.5.1): first the type itself, then its top-level type, then any type.
 */
function quality(list: readonly Range[], type: string): number {
  for (const candidate of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const found = list.find((range) => range.type === candidate);
    if (found) return found.q;
  }
  return 0;
}

/**
 * Chooses a media type by the `Accept` header. Express's `accepts` is not used: it matches no range with a parameter,
 * such as `application/json;charset=utf-8`, which callers send. Here parameters other than `q` are ignored.
 * @param offered in order of preference; the first wins among equals, and without a header
 * @returns undefined: no offered type is acceptable, answer 406
 */
export function negotiate<T extends string>(header: string | undefined, offered: readonly T[]): T | undefined {
  if (header === undefined || header.trim() === '') return offered[0];
  const list = ranges(header);
  let best: { readonly type: T; readonly q: number } | undefined;
  for (const type of offered) {
    const q = quality(list, type);
    if (q > (best?.q ?? 0)) best = { type, q };
  }
  return best?.type;
}
