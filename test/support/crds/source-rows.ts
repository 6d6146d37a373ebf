import type { EdgeRow } from './edge-rows.ts';

const REFS = '"secretRefs":[{"name":"a","key":"b"}]';
const source = (spec: string, name = 'a'): string =>
  `{"apiVersion":"orbs.dev/v1alpha1","kind":"OrbSignalSource","metadata":{"name":"${name}"},"spec":${spec}}`;
/** @param more members of `auth`, each with a comma before it */
const typed = (type: string, more = '', rest = ''): string =>
  source(`{"type":"${type}","auth":{${REFS}${more}}${rest}}`);
const custom = (auth: string): string =>
  typed('custom', auth, ',"mapping":{"fields":{"status":"payload.a","title":"payload.b"}}');
const formOf = (parser: string): string =>
  typed(
    'custom',
    ',"scheme":"bearer"',
    `,"mapping":{"parser":"${parser}","fields":{"status":"payload.a","title":"payload.b"}}`,
  );
const refs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"name":"a","key":"k${index}"}`).join(',');
const matched = (target: string): string => typed('grafana', '', `,"match":[{"when":"true"${target}}]`);
const SIGNED = '"scheme":"hmac","signatureHeader":"X-S"';

/** OrbSignalSources at the edges of what is valid. */
export const SOURCE_ROWS: readonly EdgeRow[] = [
  ['a source of a known vendor', typed('grafana'), 'both'],
  ['a source of an unknown vendor', typed('nagios'), 'nobody'],
  ['a source without auth', source('{"type":"grafana"}'), 'nobody'],
  ['a source with a dot in its name', source(`{"type":"grafana","auth":{${REFS}}}`, 'a.b'), 'nobody'],
  ['no secrets', source('{"type":"grafana","auth":{"secretRefs":[]}}'), 'nobody'],
  ['four secrets', source(`{"type":"grafana","auth":{"secretRefs":[${refs(4)}]}}`), 'both'],
  ['five secrets', source(`{"type":"grafana","auth":{"secretRefs":[${refs(5)}]}}`), 'nobody'],
  [
    'two secrets of one name and key',
    source('{"type":"grafana","auth":{"secretRefs":[{"name":"a","key":"b"},{"name":"a","key":"b"}]}}'),
    'nobody',
  ],
  ['type custom without a mapping', typed('custom', ',"scheme":"bearer"'), 'nobody'],
  ['type custom without a scheme', custom(''), 'nobody'],
  ['type custom with both', custom(',"scheme":"bearer"'), 'both'],
  ['type custom with hmac and no header', custom(',"scheme":"hmac"'), 'nobody'],
  ['the form of an HMAC for a vendor', typed('grafana', ',"scheme":"hmac","hmac":{}'), 'nobody'],
  ['the form of an HMAC', custom(`,${SIGNED},"hmac":{"alg":"sha512","prefix":"v1="}`), 'both'],
  ['an HMAC without the body', custom(`,${SIGNED},"hmac":{"signedContent":"{timestamp}"}`), 'nobody'],
  ['an HMAC of an id', custom(`,${SIGNED},"hmac":{"signedContent":"{id}.{body}"}`), 'nobody'],
  ['a signed timestamp without a header', custom(`,${SIGNED},"hmac":{"signedContent":"{timestamp}.{body}"}`), 'nobody'],
  [
    'a signed timestamp in a header',
    custom(`,${SIGNED},"timestampHeader":"X-T","hmac":{"signedContent":"{timestamp}.{body}"}`),
    'both',
  ],
  ['a timestamp that is not signed', custom(`,${SIGNED},"timestampHeader":"X-T","hmac":{}`), 'nobody'],
  [
    'a signed timestamp in a pair',
    custom(`,${SIGNED},"hmac":{"signedContent":"{timestamp}.{body}","pairs":{"timestamp":"t","signature":"v1"}}`),
    'both',
  ],
  [
    'pairs with a prefix',
    custom(
      `,${SIGNED},"hmac":{"signedContent":"{timestamp}.{body}","prefix":"x","pairs":{"timestamp":"t","signature":"v1"}}`,
    ),
    'nobody',
  ],
  [
    'pairs of one name',
    custom(`,${SIGNED},"hmac":{"signedContent":"{timestamp}.{body}","pairs":{"timestamp":"t","signature":"t"}}`),
    'nobody',
  ],
  ['scheme ecdsa without a timestamp', custom(',"scheme":"ecdsa","signatureHeader":"X-S"'), 'nobody'],
  ['scheme ecdsa', custom(',"scheme":"ecdsa","signatureHeader":"X-S","timestampHeader":"X-T"'), 'both'],
  ['a timestamp of grafana', typed('grafana', ',"timestampHeader":"X-T"'), 'both'],
  ['a timestamp of pagerduty', typed('pagerduty', ',"timestampHeader":"X-T"'), 'nobody'],
  ['a header that the scheme does not read', typed('alertmanager', ',"signatureHeader":"X-S"'), 'nobody'],
  ['a token in a header of its own', typed('datadog', ',"signatureHeader":"X-S"'), 'both'],
  ['an MD5 of another vendor', typed('pingdom', ',"scheme":"md5Token"'), 'nobody'],
  ['an MD5 of statuscake', typed('statuscake', ',"scheme":"md5Token"'), 'both'],
  ['GET of another vendor', typed('pingdom', '', ',"limits":{"allowGet":true}'), 'nobody'],
  ['GET of uptimerobot', typed('uptimerobot', '', ',"limits":{"allowGet":true}'), 'both'],
  ['a form of a vendor', typed('pingdom', '', ',"mapping":{"parser":"form"}'), 'nobody'],
  ['a form of type custom', formOf('form'), 'both'],
  ['another parser', formOf('xml'), 'nobody'],
  ['a token in the path of statuscake', typed('statuscake', ',"scheme":"urlToken"'), 'both'],
  ['a tolerance of 29 s', typed('grafana', ',"toleranceSeconds":29'), 'nobody'],
  ['a tolerance of 900 s', typed('grafana', ',"toleranceSeconds":900'), 'both'],
  ['a match without a target', matched(''), 'nobody'],
  ['a match with two targets', matched(',"orb":"a.b@*","provider":"a.example"'), 'nobody'],
  ['a match of a running version', matched(',"orb":"a.b@*"'), 'both'],
  ['a match of a component', matched(',"service":"runtime"'), 'server'],
  ['a block of addresses', typed('grafana', ',"allowCIDRs":["203.0.113.0/24","2001:db8::/32"]'), 'both'],
  ['a block with bits after its prefix', typed('grafana', ',"allowCIDRs":["203.0.113.1/24"]'), 'server'],
  ['a quiet period of 24 h', typed('grafana', '', ',"effects":{"quietPeriod":"24h"}'), 'both'],
  ['a quiet period of 1441 min', typed('grafana', '', ',"effects":{"quietPeriod":"1441m"}'), 'nobody'],
  ['raw bodies for 721 h', typed('grafana', '', ',"retention":{"raw":"721h"}'), 'nobody'],
  ['a mapping that does not compile', typed('grafana', '', ',"mapping":{"fields":{"title":"payload."}}'), 'both'],
];
