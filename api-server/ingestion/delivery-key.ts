import { sha256Hex, sha256HexOf } from '../../adapters/keys/primitives.ts';
import { readPayload } from '../../core/ingestion/mapping/read-payload.ts';
import { VENDORS } from '../../core/ingestion/vendors/vendors.ts';
import type { VendorTemplate } from '../../core/ingestion/vendors/template.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { BoundValues, compileUntyped, type UntypedExpression } from '../../core/policy/language/compile-untyped.ts';
import type { SignalSource } from './source.ts';

/** What makes two deliveries of a source the same one (ingestion.md §6). */
export interface DeliveryKey {
  /** `id:` and a signed id, or `sha256:` and a digest; at most 260 characters. */
  readonly text: string;
  /** Label of the metric. */
  readonly by: 'id' | 'hash';
}

const MAX_ID = 256;
const BOUNDS = { roots: ['payload'], units: 1000, pointer: '' };

function compiledId({ deliveryId }: VendorTemplate): UntypedExpression | undefined {
  const compiled = deliveryId === undefined ? undefined : compileUntyped(deliveryId, BOUNDS);
  if (compiled?.ok === false) throw new TypeError(compiled.finding.detail);
  return compiled?.expression;
}

/** Expressions of the types whose bodies hold an id of their delivery. */
const BODY_IDS: ReadonlyMap<string, UntypedExpression> = new Map(
  Object.entries<VendorTemplate>(VENDORS).flatMap(([type, template]) => {
    const expression = compiledId(template);
    return expression === undefined ? [] : [[type, expression] as const];
  }),
);

/** The id inside a verified body, for types that have one. */
function bodyId({ type, parser }: SignalSource, body: Uint8Array): string | undefined {
  const expression = BODY_IDS.get(type);
  const read = expression && readPayload(body, parser);
  if (read?.ok !== true) return undefined;
  const id = expression?.evaluate(new BoundValues({ payload: read.payload }));
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const ofId = (id: string): DeliveryKey => ({
  text: id.length <= MAX_ID && id.isWellFormed() ? `id:${id}` : `sha256:${sha256Hex(encodeUtf8(id))}`,
  by: 'id',
});

const MINUTE_MS = 60_000;

/**
 * Whether a body says when it happened. Without a time, the second outage of a test has the bytes of the first one, and
 * would be taken for its repeat. Information has no state, so its repeats are repeats.
 */
function namesNoTime({ mapping: { mapping } }: Pick<SignalSource, 'mapping'>): boolean {
  const { startsAt, endsAt, occurredAt } = mapping.fields;
  const isTimed = [startsAt, endsAt, occurredAt].some((expressions) => (expressions ?? []).length > 0);
  return !isTimed && mapping.kind !== 'analytics';
}

/**
 * The key of a verified delivery: an id that is signed, else a digest of source and body, and of the minute for a body
 * that names no time. An unsigned header never makes one: whoever can change it could send a delivery twice, or hide
 * another one behind it.
 * @param signedId id that the signature covers; undefined without one
 * @param receivedAt ms since epoch
 */
export function deliveryKeyOf(
  source: SignalSource,
  signedId: string | undefined,
  { body, receivedAt }: { readonly body: Uint8Array; readonly receivedAt: number },
): DeliveryKey {
  const id = signedId ?? bodyId(source, body);
  if (id !== undefined) return ofId(id);
  const minute = namesNoTime(source) ? `${Math.floor(receivedAt / MINUTE_MS)}\n` : '';
  return { text: `sha256:${sha256HexOf([encodeUtf8(`${source.sourceId}${minute}`), body])}`, by: 'hash' };
}
