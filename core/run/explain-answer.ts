import { causeOf, placeText, sizeText } from '../attempts/cause.ts';
import type { AttemptCause, AttemptReason } from '../attempts/reasons.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { isOfType } from '../manifest/value-type.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { CompiledOutput, ValueType } from '../orb/compiled-orb.ts';
import { deepestPlace, nearestPlace } from './nearest-place.ts';
import { atPointer } from './outputs.ts';
import { hasLongInteger, isJsonType, mediaTypeOf, type ProviderAnswer, type ReadBody } from './response-body.ts';

/** A body as it came, before it was read. */
export interface RawBody {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/** Outputs that one detail explains. */
const MOST_EXPLAINED = 3;

// RFC 9110 §8.3.1, with the lengths of RFC 6838 §4.2. Another text is a stranger's, and is not repeated.
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

function typeText(contentType: string | undefined): string {
  const type = mediaTypeOf(contentType);
  if (type === '') return 'no media type';
  return MEDIA_TYPE.test(type) ? type : 'a malformed media type';
}

/** `text/html, 1.2 kB`. */
const bodyText = ({ bytes, contentType }: RawBody): string => `${typeText(contentType)}, ${sizeText(bytes.length)}`;

/** Why a body of a 2xx can't be read. */
export function explainBody({ fault, at }: Extract<ReadBody, { ok: false }>, raw: RawBody): AttemptCause {
  if (fault === 'not-text') return causeOf(fault, `not UTF-8 (${bodyText(raw)})`);
  return causeOf(fault, `broken JSON${at === undefined ? '' : ` ${at}`} (${bodyText(raw)})`);
}

function nameOfType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isJsonObject(value)) return 'an object';
  return `a ${typeof value}`;
}

const pointerOf = (tokens: readonly string[]): string => placeText(tokens.reduce<string>(childPointer, ''));

interface Fault {
  readonly reason: AttemptReason;
  readonly text: string;
}

/** An integer's own range: a number with a fraction is a number too. */
const declared = (type: ValueType): string => (type === 'integer' ? 'integer up to 2^53-1' : type);

/** Where the pointer ends, and what to write instead: `; /body is an object: write /body/ts`. */
function nearest({ from = [], type }: CompiledOutput, answer: ProviderAnswer): string {
  const reached = deepestPlace(from, answer);
  const value = reached === undefined ? undefined : atPointer(reached, answer);
  const end = reached === undefined || value === undefined ? '' : `; ${pointerOf(reached)} is ${nameOfType(value)}`;
  const meant = nearestPlace(from, type, answer);
  return meant === undefined ? end : `${end === '' ? '; ' : `${end}: `}write ${pointerOf(meant)}`;
}

function explainAbsent(output: CompiledOutput, answer: ProviderAnswer, { bytes }: RawBody): Fault {
  const { from = [] } = output;
  const hint = bytes.length === 0 && from[0] === 'body' ? '; the answer has no body' : nearest(output, answer);
  const long = hasLongInteger(bytes) ? '; an integer beyond 2^53-1 counts as absent' : '';
  return { reason: 'output-missing', text: `nothing at ${pointerOf(from)}${hint}${long}` };
}

/** The body has no places for a pointer: it is a text under another type, or not readable at all. */
const isOpaque = ({ body }: ProviderAnswer, { bytes, contentType }: RawBody): boolean =>
  bytes.length > 0 && !isJsonType(mediaTypeOf(contentType)) && (body === undefined || typeof body === 'string');

function explainOutput(output: CompiledOutput, answer: ProviderAnswer, raw: RawBody): Fault {
  const { from = [], type } = output;
  const needsJson = from[0] === 'body' && (from.length > 1 || type !== 'string' || answer.body === undefined);
  if (needsJson && isOpaque(answer, raw)) return { reason: 'not-json', text: `not JSON (${bodyText(raw)})` };
  const value = atPointer(from, answer);
  if (value === undefined) return explainAbsent(output, answer, raw);
  if (isOfType(value, type))
    return { reason: 'output-not-representable', text: `${pointerOf(from)} is ${type}, and can not be returned` };
  return {
    reason: 'output-wrong-type',
    text: `${pointerOf(from)} is ${nameOfType(value)}, ${declared(type)} declared`,
  };
}

/**
 * Why the outputs of a 2xx are not there. The first one decides the reason.
 * @param missing names of outputs with a `from`, at least one
 */
export function explainOutputs(
  { outputs, missing }: { readonly outputs: readonly CompiledOutput[]; readonly missing: readonly string[] },
  answer: ProviderAnswer,
  raw: RawBody,
): AttemptCause {
  const named = outputs.filter(({ name }) => missing.includes(name));
  const faults = named.map((output) => ({ name: output.name, ...explainOutput(output, answer, raw) }));
  const [first, ...others] = faults;
  if (first === undefined) throw new RangeError('no output is missing');
  // One sentence for the whole body: the outputs have the same fault.
  if (first.reason === 'not-json') return causeOf(first.reason, first.text);
  const shown = [first, ...others].slice(0, MOST_EXPLAINED).map(({ name, text }) => `output \`${name}\`: ${text}`);
  const more = faults.length > MOST_EXPLAINED ? `; and ${faults.length - MOST_EXPLAINED} more` : '';
  return causeOf(first.reason, `${shown.join('; ')}${more}`);
}
