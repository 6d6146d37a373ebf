import { below, anyText, mutated, pick, type Random } from './random.ts';

const PATHS = [
  'payload',
  'payload.a',
  'payload.alerts',
  'item',
  'item.status',
  'item.labels.severity',
  'headers',
  'payload.a.b',
  'payload["title"]',
  'item[0]',
  'payload.data.event.id',
  'x',
];
const LITERALS = [
  '"firing"',
  '"resolved"',
  "''",
  '0',
  '1',
  '-1',
  '1.5',
  'true',
  'null',
  '9223372036854775807',
  '[]',
  '{}',
  '["a", 1]',
  '{"a": 1}',
  'b"x"',
  '1u',
  'timestamp("2026-11-20T10:00:00Z")',
];
const OPERATORS = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '&&', '||', 'in'];
const CALLS = ['size', 'string', 'int', 'double', 'bool', 'has', 'type', 'timestamp', 'duration', 'dyn', 'no_such'];
const METHODS = [
  'contains("a")',
  'startsWith("a")',
  'endsWith("")',
  'matches("^(a+)+$")',
  'matches("[")',
  'size()',
  'split(",")',
  'exists(x, x == "a")',
  'all(x, x.y > 1)',
  'map(x, x)',
  'filter(x, x.a)',
  'orValue("a")',
  'getFullYear()',
];

/** An expression of CEL, right or wrong. */
function anyExpression(random: Random, depth: number): string {
  const inner = (): string => anyExpression(random, depth - 1);
  const WAYS: readonly (() => string)[] = [
    () => pick(random, PATHS),
    () => pick(random, LITERALS),
    () => `${inner()} ${pick(random, OPERATORS)} ${inner()}`,
    () => `(${inner()})`,
    () => `${pick(random, CALLS)}(${inner()})`,
    () => `${inner()}.${pick(random, METHODS)}`,
    () => `${inner()} ? ${inner()} : ${inner()}`,
    () => `${inner()}[${inner()}]`,
    () => `[${inner()}, ${inner()}]`,
    () => `!${inner()}`,
  ];
  if (depth <= 0) return pick(random, WAYS.slice(0, 2))();
  const text = pick(random, WAYS)();
  return random() < 0.02 ? mutated(random, text) : text;
}

/** The mapping of a source of type `custom`, right or wrong. */
export function anyMapping(random: Random): object {
  const expression = (): string =>
    random() < 0.01 ? anyText(random, 40) : anyExpression(random, 1 + below(random, 3));
  const some = ['severity', 'fingerprint', 'startsAt', 'endsAt', 'labels', 'description', 'link'];
  const fields = Object.fromEntries(some.filter(() => random() < 0.3).map((name) => [name, expression()]));
  // Most of them get as far as their events.
  const status = random() < 0.5 ? pick(random, ['"firing"', '"resolved"', 'item.status']) : expression();
  const title = random() < 0.5 ? '"a title"' : expression();
  const items = random() < 0.5 ? {} : { items: random() < 0.5 ? 'payload.alerts' : expression() };
  return { ...items, fields: { ...fields, status, title } };
}
