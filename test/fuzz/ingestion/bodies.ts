import { below, anyText, mutated, pick, type Random } from './random.ts';
import { sampleBody } from '../../unit/core/ingestion/samples.ts';

const SAMPLED = new Set([
  'alertmanager',
  'grafana',
  'pagerduty',
  'sentry',
  'segment',
  'standardWebhooks',
  'datadog',
  'newrelic',
  'pingdom',
]);
const SAMPLES = [...SAMPLED].map(sampleBody);
const FORM = sampleBody('statuscake');

const NAMES = [
  'alerts',
  'status',
  'labels',
  'severity',
  'orb_id',
  'fingerprint',
  'startsAt',
  'endsAt',
  'event',
  'data',
  'id',
  'title',
  'issue',
  'incident',
  'component',
  'tags',
  'orb_template',
  'type',
  'timestamp',
  'check_params',
  'members',
  'payload',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a',
];
const SCALARS = [
  'firing',
  'resolved',
  'critical',
  '2026-11-20T10:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-99-99T99:99:99Z',
  '$ID',
  '\ud800',
  1e308,
  -0,
  2 ** 53,
  1_795_168_800_000,
  0.1,
  true,
  false,
  null,
  '',
];

/** A value of the words that vendors use, in any shape. */
export function anyValue(random: Random, depth: number): unknown {
  const kind = depth <= 0 ? 0 : below(random, 4);
  if (kind === 0) return pick<unknown>(random, SCALARS);
  if (kind === 1) return anyText(random, 20);
  const count = below(random, 5);
  if (kind === 2) return Array.from({ length: count }, () => anyValue(random, depth - 1));
  return Object.fromEntries(Array.from({ length: count }, () => [pick(random, NAMES), anyValue(random, depth - 1)]));
}

/** Texts that are dear to a parser; large ones are rare, because each takes milliseconds. */
const DEAR: readonly ((random: Random, size: number) => string)[] = [
  (_, size) => '['.repeat(size),
  (_, size) => '{"a":'.repeat(size / 5),
  (_, size) => `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  (_, size) => `{${Array.from({ length: size / 8 }, (__, index) => `"${index}":1`).join(',')}}`,
  (_, size) => `[${'0,'.repeat(size / 2)}0]`,
  (_, size) => `{"alerts":[${'{"status":"firing","labels":{}},'.repeat(size / 32)}{}]}`,
  (_, size) => `"${'\\u0000'.repeat(size / 6)}"`,
  (_, size) => `{"a":${'9'.repeat(size)}}`,
  (_, size) => `{${'"__proto__":{"x":1},'.repeat(size / 20)}"a":1}`,
  (random, size) => `{"title":"${'a'.repeat(size)}","labels":{"${anyText(random)}":1}}`,
];
const [SMALL, LARGE] = [512, 262_144];

const WAYS: readonly ((random: Random) => string)[] = [
  (random) => mutated(random, pick(random, SAMPLES)),
  (random) => mutated(random, pick(random, SAMPLES)),
  (random) => JSON.stringify(anyValue(random, 5)),
  (random) => JSON.stringify({ alerts: [anyValue(random, 4), anyValue(random, 4)], status: anyValue(random, 1) }),
  (random) => pick(random, DEAR)(random, random() < 0.002 ? LARGE : SMALL),
  (random) => anyText(random, 200),
];

/** A body for a source that reads JSON; sometimes it is no UTF-8. @param type of the source */
export function anyJsonBody(random: Random, type: string): Uint8Array {
  const isOwn = SAMPLED.has(type) && random() < 0.5;
  const bytes = Buffer.from(isOwn ? mutated(random, sampleBody(type)) : pick(random, WAYS)(random));
  if (random() < 0.1 && bytes.length > 0) bytes[below(random, bytes.length)] = below(random, 256);
  return bytes;
}

const FORMS: readonly ((random: Random) => string)[] = [
  (random) => mutated(random, FORM),
  (random) => mutated(random, FORM),
  (random) => Array.from({ length: below(random, 30) }, () => `${anyText(random)}=${anyText(random)}`).join('&'),
  (random) => `${pick(random, NAMES)}=${encodeURIComponent(anyText(random).toWellFormed())}&${FORM}`,
  (random) => ['%', '&', '=', '+', '%41', '%ff', 'a=b&'].map((text) => text.repeat(below(random, 40))).join(''),
  (random) => pick(random, ['%41', '&', 'a=1&', '+']).repeat(random() < 0.002 ? LARGE / 4 : SMALL / 4),
];

/** A body for a source that reads forms. */
export function anyFormBody(random: Random): Uint8Array {
  const bytes = Buffer.from(pick(random, FORMS)(random));
  if (random() < 0.1 && bytes.length > 0) bytes[below(random, bytes.length)] = below(random, 256);
  return bytes;
}
