import { gunzipBounded } from '../../adapters/gzip/gunzip-bounded.ts';
import { VENDORS } from '../../core/ingestion/vendors/vendors.ts';
import { noRoom } from '../http/no-room.ts';
import { problem } from '../http/problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../http/route.ts';
import type { SignalSource } from './source.ts';

/** What a delivery may be, before a byte of it is read. */
interface IntakeTerms {
  /** Undefined: any. */
  readonly mediaTypes: readonly string[] | undefined;
  readonly bodyBytes: number;
  readonly gzip: boolean;
}

/** Time for the whole body, ms. */
const DEADLINE_MS = 5000;
/** Largest body after decoding. */
const DECODED_BYTES = 4 * 1_048_576;
/** Terms of a path without a source: the default size, so that its answers are those of a usual source. */
const UNKNOWN: IntakeTerms = { mediaTypes: undefined, bodyBytes: 262_144, gzip: false };

const JSON_TYPE = 'application/json';
/** Of type custom, by its parser: a body never chooses its parser. */
const CUSTOM_TYPES = { json: [JSON_TYPE], form: ['application/x-www-form-urlencoded'] } as const;

const termsOf = ({ type, parser, limits: { bodyBytes, gzip } }: SignalSource): IntakeTerms => ({
  mediaTypes: type === 'custom' ? CUSTOM_TYPES[parser] : VENDORS[type].mediaTypes,
  bodyBytes,
  gzip,
});

const CHARSET = /^\s*charset\s*=\s*(.*)$/i;
const isUtf8 = (parameter: string): boolean => /^"?utf-8"?\s*$/i.test(CHARSET.exec(parameter)?.[1] ?? 'utf-8');

function fits(contentType: string | undefined, wanted: readonly string[]): boolean {
  const [essence = '', ...parameters] = (contentType ?? '').split(';');
  const type = essence.trim().toLowerCase();
  const isWanted = wanted.includes(type) || (wanted.includes(JSON_TYPE) && type.endsWith('+json'));
  return isWanted && parameters.every(isUtf8);
}

type Coding = 'identity' | 'gzip' | 'other';

function codingOf(request: RouteRequest): Coding {
  const coding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  return coding === 'identity' || coding === 'gzip' ? coding : 'other';
}

function tooLarge(request: RouteRequest, limitBytes: number): Reply {
  const detail = `The limit is ${limitBytes} bytes, of this source (spec.limits.bodyBytes) or of the platform (--max-request-bytes).`;
  return problem(request, 'body-too-large', { detail });
}

function wrongType(request: RouteRequest, { mediaTypes = ['any type'], gzip }: IntakeTerms): Reply {
  const codings = gzip ? 'identity or gzip' : 'identity';
  const next = `Send ${mediaTypes.join(' or ')} in UTF-8 with Content-Encoding ${codings}.`;
  return problem(request, 'unsupported-media-type', { next });
}

/** Size, media type and coding by the headers alone. @returns undefined: the body may be read */
function judgeHead(request: RouteRequest, terms: IntakeTerms): Reply | undefined {
  if (Number(request.header('content-length') ?? 0) > terms.bodyBytes) return tooLarge(request, terms.bodyBytes);
  const coding = codingOf(request);
  const isTyped = terms.mediaTypes === undefined || fits(request.header('content-type'), terms.mediaTypes);
  const isCoded = coding === 'identity' || (coding === 'gzip' && terms.gzip);
  return isTyped && isCoded ? undefined : wrongType(request, terms);
}

async function decoded(request: RouteRequest, terms: IntakeTerms, bytes: Uint8Array): Promise<Step<Uint8Array>> {
  if (codingOf(request) === 'identity') return { ok: true, value: bytes };
  const unzipped = await gunzipBounded(bytes, DECODED_BYTES);
  if (unzipped.kind === 'bytes') return { ok: true, value: unzipped.bytes };
  return refuse(unzipped.kind === 'too-large' ? tooLarge(request, DECODED_BYTES) : wrongType(request, terms));
}

/**
 * Reads the body of a delivery as it came, without any parser: the signature covers just these bytes, or those that gzip
 * holds. A body without source is read too, so that its sender learns nothing from the time.
 */
export async function readDelivery(request: RouteRequest, source: SignalSource | undefined): Promise<Step<Uint8Array>> {
  const terms = source === undefined ? UNKNOWN : termsOf(source);
  const refused = judgeHead(request, terms);
  if (refused !== undefined) return refuse(refused);
  const body = await request.readBody({ limitBytes: terms.bodyBytes, deadlineMs: DEADLINE_MS });
  if (body.kind === 'too-large') return refuse(tooLarge(request, terms.bodyBytes));
  if (body.kind === 'no-room') return refuse(noRoom(request, body.reason));
  // Nobody reads the answer to a caller that has gone.
  if (body.kind !== 'body') return refuse(problem(request, 'request-timeout', { headers: { connection: 'close' } }));
  return decoded(request, terms, body.bytes);
}
