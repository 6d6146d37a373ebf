import type { Case } from './signed-cases.ts';

const isSignature = (name: string): boolean => /signature/i.test(name);
export const withSignature = (delivery: Case, change: (value: string) => string): Case => ({
  ...delivery,
  headers: delivery.headers.map(([name, value]) => [name, isSignature(name) ? change(value) : value]),
});
export const flipped = (body: string): string => `${body.slice(0, -1)}${body.endsWith('x') ? 'y' : 'x'}`;
export const asBase64 = (value: string): string =>
  value.replaceAll(/[0-9a-f]{40,}/g, (hex) => Buffer.from(hex, 'hex').toString('base64'));
/** Another secret of the same form. */
export const otherSecret = ({ scheme }: Case): string =>
  scheme.kind === 'standardWebhooks' ? `whsec_${Buffer.alloc(24, 7).toString('base64')}` : 'another-secret';
export const hasTimestamp = ({ scheme }: Case): boolean =>
  scheme.kind !== 'hmac' || scheme.signedContent.includes('{timestamp}');

/** Changes that make every signed delivery a wrong one. */
export const NEGATIVES: readonly [why: string, change: (delivery: Case) => Case][] = [
  ['one byte of the body changed', (delivery) => ({ ...delivery, body: flipped(delivery.body) })],
  ['a signature by another secret', (delivery) => ({ ...delivery, secrets: [otherSecret(delivery)] })],
  ['an empty signature', (delivery) => withSignature(delivery, () => '')],
  ['no signature', (delivery) => ({ ...delivery, headers: delivery.headers.filter(([name]) => !isSignature(name)) })],
  [
    'the header of the signature twice',
    (delivery) => ({
      ...delivery,
      headers: [...delivery.headers, ...delivery.headers.filter(([name]) => isSignature(name))],
    }),
  ],
  [
    'every signature cut',
    (delivery) => withSignature(delivery, (value) => value.replaceAll(/.{3}(?=,v1=|,v0=|$)/g, '')),
  ],
  [
    'a body that was written again',
    (delivery) => ({
      ...delivery,
      body: delivery.body.startsWith('{') ? `${delivery.body.trimEnd()} ` : `${delivery.body} `,
    }),
  ],
  ['no secret', (delivery) => ({ ...delivery, secrets: [] })],
  ['an empty secret', (delivery) => ({ ...delivery, secrets: ['', '\n'] })],
];
