import { webhookPrimitives } from '../../../api-server/ingestion/webhook-primitives.ts';
import { decodeForm } from '../../../core/ingestion/mapping/form.ts';
import { BASIC, BEARER, MD5_TOKEN, ORB_TOKEN, URL_TOKEN } from '../../../core/ingestion/vendors/schemes.ts';
import { trustOf } from '../../../core/ingestion/verification/scheme.ts';
import { verifyDelivery } from '../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { sample, SIGNED, type Case } from '../../unit/core/ingestion/verification/signed-cases.ts';
import { anyText, below, mutated, pick, type Random } from './random.ts';

const TOKEN = 'pingdomtoken0123456789abcdef';
const TOKENS: readonly Case[] = [
  {
    scheme: BEARER,
    secrets: ['am-token-0001'],
    headers: [['Authorization', 'Bearer am-token-0001']],
    ...sample('alertmanager'),
  },
  {
    scheme: BASIC,
    secrets: ['acme:basic-0001'],
    headers: [['Authorization', `Basic ${Buffer.from('acme:basic-0001').toString('base64')}`]],
    ...sample('alertmanager'),
  },
  { scheme: ORB_TOKEN, secrets: ['dd-token-0001'], headers: [['X-Orb-Token', 'dd-token-0001']], ...sample('datadog') },
  { scheme: MD5_TOKEN, secrets: ['acmestatuscake-api-key-0001'], headers: [], ...sample('statuscake') },
  { scheme: URL_TOKEN, secrets: [TOKEN], headers: [], pathToken: TOKEN, ...sample('pingdom') },
];
const CASES: readonly Case[] = [...SIGNED.map(([, delivery]) => delivery), ...TOKENS];

const VALUES = CASES.flatMap(({ headers }) => headers.map(([, value]) => value));

type Change = (random: Random, delivery: Case) => Case;

const changeHeader =
  (change: (random: Random, value: string) => string): Change =>
  (random, delivery) => {
    const at = below(random, Math.max(1, delivery.headers.length));
    const headers = delivery.headers.map(([name, value], index): [string, string] => [
      name,
      index === at ? change(random, value) : value,
    ]);
    return {
      ...delivery,
      headers,
      ...(delivery.pathToken === undefined ? {} : { pathToken: change(random, delivery.pathToken) }),
    };
  };

/** Bytes that leave the timestamp and join the body, or the other way round: the signed text stays the same. */
function shifted(random: Random, delivery: Case): Case {
  const at = delivery.headers.findIndex(([name]) => /timestamp/i.test(name));
  const [name = '', value = ''] = delivery.headers[at] ?? [];
  const count = 1 + below(random, 12);
  const [timestamp, body] =
    random() < 0.5
      ? [value.slice(0, -count), value.slice(-count) + delivery.body]
      : [value + delivery.body.slice(0, count), delivery.body.slice(count)];
  return at < 0 ? delivery : { ...delivery, body, headers: delivery.headers.with(at, [name, timestamp]) };
}

const CHANGES: readonly Change[] = [
  changeHeader(mutated),
  changeHeader((random) => anyText(random, 80)),
  changeHeader((_, value) => `${value},${value}`),
  changeHeader((random) => pick(random, VALUES)),
  shifted,
  (random, delivery) => ({ ...delivery, body: mutated(random, delivery.body) }),
  (random, delivery) => ({ ...delivery, headers: [...delivery.headers, ...pick(random, CASES).headers] }),
  (random, delivery) => ({ ...delivery, headers: pick(random, CASES).headers }),
  (random, delivery) => ({ ...delivery, now: delivery.now + (random() - 0.5) * 2_000_000 }),
  (random, delivery) => ({ ...delivery, secrets: random() < 0.5 ? [] : ['', anyText(random, 30)] }),
];

const headerOf = ({ headers }: Case, name: string): string | undefined =>
  headers.find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1];

/** The timestamp that a scheme of pairs has in its one header. */
const inPairs = (header = ''): string => /(?:^|,)\s*t=([^,]*)/.exec(header)?.[1] ?? '';

function signedHeaders({ scheme }: Case): readonly string[] {
  if (scheme.kind === 'hmac') return scheme.timestampHeader === undefined ? [] : [scheme.timestampHeader];
  if (scheme.kind === 'ecdsa') return [scheme.timestampHeader];
  return ['webhook-id', 'webhook-timestamp'];
}

/** What shows the secret itself. */
function shownSecret(delivery: Case): string {
  const { scheme, body, pathToken = '' } = delivery;
  if (scheme.kind === 'md5Token') return (decodeForm(body)?.['token'] ?? '').toLowerCase();
  if (scheme.kind === 'urlToken') return pathToken;
  return headerOf(delivery, scheme.kind === 'header' ? scheme.header : 'authorization') ?? '';
}

/** What the sender vouched for: a delivery that has another one and is accepted is forged. */
function vouched(delivery: Case): Buffer {
  const { scheme, body } = delivery;
  if (trustOf(scheme) !== 'signed') return Buffer.from(shownSecret(delivery));
  const paired = scheme.kind === 'hmac' && scheme.pairs !== undefined ? scheme.signatureHeader : '';
  const signed = signedHeaders(delivery).map((name) => headerOf(delivery, name) ?? '');
  // Texts may differ in what has no UTF-8: their bytes count.
  return Buffer.from([body, ...signed, inPairs(headerOf(delivery, paired))].join('\0'));
}

const signsTime = ({ scheme }: Case): boolean =>
  scheme.kind === 'hmac' ? scheme.signedContent.includes('{timestamp}') : trustOf(scheme) === 'signed';

/** Verifies one changed delivery. @returns whether it was accepted @throws Error it was accepted and is forged */
export function tryForgery(random: Random): boolean {
  const delivery = pick(random, CASES);
  const changed = pick(random, CHANGES)(random, delivery);
  const { scheme, secrets, headers, body, now, pathToken } = changed;
  const { kind } = verifyDelivery(
    { scheme, secrets: secrets.map(encodeUtf8), toleranceSeconds: 300 },
    { headers, body: encodeUtf8(body), pathToken },
    now,
    webhookPrimitives,
  );
  if (kind !== 'verified') return false;
  if (!vouched(changed).equals(vouched(delivery)) || secrets.length === 0)
    throw new Error(`a forged delivery was accepted: ${JSON.stringify(changed)}`);
  // The tolerance is compared in whole seconds.
  if (signsTime(delivery) && Math.abs(now - delivery.now) > 301_000)
    throw new Error(`a delivery of another time was accepted: ${JSON.stringify(changed)}`);
  return true;
}
