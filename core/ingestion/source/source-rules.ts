import type { OrbSignalSourceSpec, SourceHmac, SourceMatch } from '../../../crds/orbsignalsource.ts';
import type { Finding } from '../../manifest/finding.ts';
import { parseCidr } from '../../network/cidr.ts';
import { milliseconds } from '../../time/duration.ts';
import { schemeNameOf, typeHmac } from './scheme-of.ts';

const HOUR_MS = 3_600_000;
const MAX_WAIT_MS = 24 * HOUR_MS;
const MAX_RAW_MS = 720 * HOUR_MS;
const MAX_SIGNALS_MS = 8760 * HOUR_MS;

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

const when = (isFault: boolean, ...finding: Parameters<typeof error>): readonly Finding[] =>
  isFault ? [error(...finding)] : [];

function customFindings({ type, auth, mapping }: OrbSignalSourceSpec): readonly Finding[] {
  if (type !== 'custom') return [];
  const { status, title } = mapping?.fields ?? {};
  const why = 'Type custom knows no vendor';
  return [
    ...when(auth.scheme === undefined, 'source-scheme-missing', '/spec/auth/scheme', `${why}: write a scheme.`),
    ...when(
      status === undefined || title === undefined,
      'source-mapping-missing',
      mapping?.fields === undefined ? '/spec/mapping' : '/spec/mapping/fields',
      `${why}: write mapping.fields with status and title.`,
    ),
  ];
}

const HMAC = '/spec/auth/hmac';

function pairFindings({ signedContent = '', pairs, prefix = '', separator = '' }: SourceHmac): readonly Finding[] {
  if (pairs === undefined) return [];
  return [
    ...when(
      !signedContent.includes('{timestamp}') || prefix !== '' || separator !== '',
      'source-pairs',
      `${HMAC}/pairs`,
      'With pairs, signedContent holds {timestamp}, and prefix and separator are left out.',
    ),
    ...when(
      pairs.timestamp === pairs.signature,
      'source-pairs',
      `${HMAC}/pairs`,
      'Timestamp and signature have different names.',
    ),
  ];
}

/** Form of an HMAC: what is signed must hold the body, and everything else that it names must be sent. */
function formFindings(hmac: SourceHmac, hasTimestamp: boolean): readonly Finding[] {
  const { signedContent = '{body}', pairs } = hmac;
  return [
    ...when(
      !signedContent.includes('{body}') || signedContent.includes('{id}'),
      'source-signed-content',
      `${HMAC}/signedContent`,
      'Write {body}, and {timestamp} when it is signed too; {id} is not known here.',
    ),
    ...when(
      signedContent.includes('{timestamp}') && pairs === undefined && !hasTimestamp,
      'source-timestamp-missing',
      '/spec/auth/timestampHeader',
      'A timestamp is signed: name its header, or the pairs that hold it.',
    ),
    ...pairFindings(hmac),
  ];
}

/** Whether a timestamp in a header is signed, so that it means anything. */
function isTimestampSigned({ type, auth }: OrbSignalSourceSpec): boolean {
  const scheme = schemeNameOf({ type, auth });
  if (scheme === 'ecdsa') return true;
  if (scheme !== 'hmac') return false;
  const { signedContent = '', pairs } = auth.hmac ?? {};
  return type === 'grafana' || (pairs === undefined && signedContent.includes('{timestamp}'));
}

function headerFindings(spec: OrbSignalSourceSpec): readonly Finding[] {
  const { type, auth } = spec;
  const { signatureHeader, timestampHeader } = auth;
  const scheme = schemeNameOf(spec);
  const isMissing = scheme === 'ecdsa' || (scheme === 'hmac' && typeHmac(type) === undefined);
  return [
    ...when(
      isMissing && signatureHeader === undefined,
      'source-header-missing',
      '/spec/auth/signatureHeader',
      'Name the header of the signature: neither the type nor the scheme has one.',
    ),
    ...when(
      scheme === 'ecdsa' && timestampHeader === undefined,
      'source-timestamp-missing',
      '/spec/auth/timestampHeader',
      'Scheme ecdsa signs a timestamp: name its header.',
    ),
    ...when(
      signatureHeader !== undefined && scheme !== 'hmac' && scheme !== 'ecdsa' && scheme !== 'header',
      'source-header-unused',
      '/spec/auth/signatureHeader',
      'Only the schemes hmac, ecdsa and header read a header that you name: remove it.',
    ),
    ...when(
      timestampHeader !== undefined && !isTimestampSigned(spec),
      'source-header-unused',
      '/spec/auth/timestampHeader',
      'This timestamp is not signed, so it would prove nothing: remove it.',
    ),
  ];
}

function schemeFindings(spec: OrbSignalSourceSpec): readonly Finding[] {
  const { type, auth, limits, mapping } = spec;
  const { hmac, timestampHeader } = auth;
  const scheme = schemeNameOf(spec);
  return [
    ...when(
      hmac !== undefined && (type !== 'custom' || scheme !== 'hmac'),
      'source-hmac-unused',
      '/spec/auth/hmac',
      'Only type custom with scheme hmac describes the form of a signature: remove it.',
    ),
    ...(hmac === undefined ? [] : formFindings(hmac, timestampHeader !== undefined)),
    ...when(
      scheme === 'md5Token' && type !== 'statuscake',
      'source-scheme-type',
      '/spec/auth/scheme',
      'Only statuscake sends a token that is an MD5.',
    ),
    ...when(
      limits?.allowGet === true && type !== 'uptimerobot',
      'source-get',
      '/spec/limits/allowGet',
      'Only uptimerobot delivers by GET.',
    ),
    ...when(
      mapping?.parser !== undefined && type !== 'custom',
      'source-parser',
      '/spec/mapping/parser',
      'Only type custom says how a body is read: remove it.',
    ),
  ];
}

function secretFindings({ auth: { secretRefs } }: OrbSignalSourceSpec): readonly Finding[] {
  const names = secretRefs.map(({ name, key }) => `${name} ${key}`);
  return names.flatMap((name, index) =>
    when(
      names.indexOf(name) !== index,
      'source-secret-twice',
      `/spec/auth/secretRefs/${index}`,
      'This key is named twice: name each key of a Secret once.',
    ),
  );
}

const cidrFindings = ({ auth: { allowCIDRs = [] } }: OrbSignalSourceSpec): readonly Finding[] =>
  allowCIDRs.flatMap((text, index) =>
    when(
      parseCidr(text) === undefined,
      'source-cidr',
      `/spec/auth/allowCIDRs/${index}`,
      'Write ADDRESS/PREFIX with zero bits after the prefix: 203.0.113.0/24.',
    ),
  );

function targetFindings(
  { orb, provider, service }: SourceMatch,
  index: number,
  isPlatform: boolean,
): readonly Finding[] {
  const targets = [orb, provider, service].filter((target) => target !== undefined);
  return [
    ...when(
      targets.length !== 1,
      'source-target',
      `/spec/match/${index}`,
      'Name one target: orb, provider or service.',
    ),
    ...when(
      service !== undefined && !isPlatform,
      'source-service',
      `/spec/match/${index}/service`,
      'Only sources in the namespace of the platform say something about its services.',
    ),
  ];
}

const lengthFindings = (pointer: string, text: string | undefined, mostMs: number): readonly Finding[] =>
  when(text !== undefined && milliseconds(text) > mostMs, 'source-duration', pointer, `At most ${mostMs / HOUR_MS}h.`);

function durationFindings({ effects = {}, retention = {} }: OrbSignalSourceSpec): readonly Finding[] {
  return [
    ...lengthFindings('/spec/effects/for', effects.for, MAX_WAIT_MS),
    ...lengthFindings('/spec/effects/quietPeriod', effects.quietPeriod, MAX_WAIT_MS),
    ...lengthFindings('/spec/retention/raw', retention.raw, MAX_RAW_MS),
    ...lengthFindings('/spec/retention/signals', retention.signals, MAX_SIGNALS_MS),
  ];
}

/**
 * What a schema can't say of a source. All of it but blocks of addresses and services is also in the rules of its
 * definition, so that `kubectl apply` refuses it.
 * @param isPlatform whether the source is in the namespace of the platform
 */
export function sourceFindings(spec: OrbSignalSourceSpec, isPlatform: boolean): readonly Finding[] {
  return [
    ...customFindings(spec),
    ...schemeFindings(spec),
    ...headerFindings(spec),
    ...secretFindings(spec),
    ...cidrFindings(spec),
    ...(spec.match ?? []).flatMap((one, index) => targetFindings(one, index, isPlatform)),
    ...durationFindings(spec),
  ];
}
