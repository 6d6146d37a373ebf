import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { member } from '../../json/members.ts';
import type { Finding } from '../../manifest/finding.ts';
import {
  BoundValues,
  compileUntyped,
  type UntypedBounds,
  type UntypedExpression,
} from '../../policy/language/compile-untyped.ts';
import type { FieldName, Mapping } from '../vendors/template.ts';
import { cut, labelsOf, namesOf, textOf, timeOf } from './normalise.ts';
import type { DeadLetter, EventDraft, Metric, Severity } from './signal.ts';

/** Most units of `items`, which is evaluated once, and of all fields of one event together. */
const ITEMS_UNITS = 50_000;
const EVENT_UNITS = 20_000;
/** Most values of the list that `items` gives: as many as a payload has. */
const ITEMS_VALUES = 25_000;
const TEXT_LENGTH = 4096;
const TITLE_LENGTH = 1024;
const ROOTS = ['payload', 'headers'];

type Fields = Readonly<Partial<Record<FieldName, readonly UntypedExpression[]>>>;

/** A mapping that is ready. */
export interface CompiledMapping {
  readonly mapping: Mapping;
  readonly items: UntypedExpression | undefined;
  readonly fields: Fields;
}

export type MappingResult =
  | { readonly ok: true; readonly mapping: CompiledMapping }
  /** Pointers are below `/spec/mapping`. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

const FIELDS = [
  'status',
  'severity',
  'title',
  'description',
  'fingerprint',
  'fingerprintText',
  'startsAt',
  'endsAt',
  'occurredAt',
  'labels',
  'names',
  'link',
  'runbook',
  'dashboard',
  'metricName',
  'metricValue',
  'metricUnit',
  'metricThreshold',
] as const satisfies readonly FieldName[];

const pointerOf = (field: string): string => `/spec/mapping/fields/${field}`;

/** Compiles the expressions of a mapping; a mapping in force can't fail to compile. */
export function compileMapping(mapping: Mapping): MappingResult {
  const findings: Finding[] = [];
  const compile = (source: string, pointer: string, bounds: Omit<UntypedBounds, 'pointer'>) => {
    const result = compileUntyped(source, { ...bounds, pointer });
    if (result.ok) return [result.expression];
    findings.push(result.finding);
    return [];
  };
  const once = { roots: ROOTS, units: ITEMS_UNITS, resultValues: ITEMS_VALUES };
  const [items] = mapping.items === undefined ? [] : compile(mapping.items, '/spec/mapping/items', once);
  const each = { roots: [...ROOTS, 'item'], units: EVENT_UNITS };
  const fields: Fields = Object.fromEntries(
    FIELDS.map((field) => [
      field,
      (mapping.fields[field] ?? []).flatMap((source) => compile(source, pointerOf(field), each)),
    ]),
  );
  const units = Object.values(fields)
    .flat()
    .reduce((sum, expression) => sum + expression.units, 0);
  if (units > EVENT_UNITS) {
    const detail = `all fields together take ${units} units, and at most ${EVENT_UNITS} are allowed`;
    findings.push({ code: 'too-expensive', pointer: '/spec/mapping/fields', detail, severity: 'error' });
  }
  return findings.length > 0 ? { ok: false, findings } : { ok: true, mapping: { mapping, items, fields } };
}

export type MapResult =
  | {
      readonly ok: true;
      readonly events: readonly EventDraft[];
      /** Events beyond the limit, which are counted and left out. */
      readonly truncated: number;
    }
  | { readonly ok: false; readonly deadLetter: DeadLetter };

/** A verified delivery, read. */
export interface MapInput {
  readonly payload: JsonValue;
  /** Names in lower case; only those that expressions may read. */
  readonly headers: JsonObject;
  /** SHA-256 of the body in hexadecimal: the fingerprint where a vendor gives none. */
  readonly bodyDigest: string;
  /** SHA-256 of a text's UTF-8, in hexadecimal. */
  readonly digest: (text: string) => string;
  /** Most events of one payload. */
  readonly most: number;
}

function valueOf({ fields }: CompiledMapping, field: FieldName, values: BoundValues): JsonValue | undefined {
  for (const expression of fields[field] ?? []) {
    const value = expression.evaluate(values);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

const dead = (reason: DeadLetter['reason'], pointer: string): MapResult => ({
  ok: false,
  deadLetter: { reason, pointer },
});

const own = <Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

type Read = (field: FieldName) => JsonValue | undefined;

const cutOf = (read: Read, field: FieldName, most: number): string | undefined => {
  const text = textOf(read(field));
  return text === undefined ? undefined : cut(text, most);
};

function metricOf(read: Read): Metric | null {
  const text = (field: FieldName): string | null => cutOf(read, field, TITLE_LENGTH) ?? null;
  const [name, value] = [text('metricName'), text('metricValue')];
  if (name === null || value === null) return null;
  return { name, value, unit: text('metricUnit'), threshold: text('metricThreshold') };
}

function fingerprintOf(read: Read, { bodyDigest, digest }: MapInput): string {
  const given = cutOf(read, 'fingerprint', TITLE_LENGTH);
  const text = given === undefined ? textOf(read('fingerprintText')) : undefined;
  return given ?? (text === undefined ? bodyDigest : digest(text));
}

/** Fields that may be absent. */
function optionalOf(read: Read, input: MapInput) {
  return {
    description: cutOf(read, 'description', TEXT_LENGTH) ?? '',
    fingerprint: fingerprintOf(read, input),
    startsAt: timeOf(read('startsAt')),
    endsAt: timeOf(read('endsAt')),
    occurredAt: timeOf(read('occurredAt')),
    labels: labelsOf(read('labels')),
    names: namesOf(read('names')),
    link: cutOf(read, 'link', TITLE_LENGTH) ?? null,
    runbook: cutOf(read, 'runbook', TITLE_LENGTH) ?? null,
    dashboard: cutOf(read, 'dashboard', TITLE_LENGTH) ?? null,
    metric: metricOf(read),
  };
}

function severityOf({ severities, otherSeverity }: Mapping, read: Read): Severity {
  const word = textOf(read('severity'))?.toLowerCase();
  return (word === undefined ? undefined : own(severities, word)) ?? otherSeverity;
}

/** @returns the name of the field that is missing, in place of an event */
function eventOf(compiled: CompiledMapping, values: BoundValues, input: MapInput): EventDraft | FieldName {
  const { mapping } = compiled;
  const read: Read = (field) => valueOf(compiled, field, values);
  const word = textOf(read('status'))?.toLowerCase();
  if (word === undefined) return 'status';
  const known = own(mapping.statuses, word);
  const status = known?.status ?? mapping.otherStatus;
  if (status === undefined) return 'status';
  const title = cutOf(read, 'title', TITLE_LENGTH);
  if (title === undefined) return 'title';
  const kind = known?.kind ?? mapping.kind;
  return { kind, status, severity: severityOf(mapping, read), title, ...optionalOf(read, input) };
}

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Whether a payload is of the template that the mapping reads, or of the vendor's own form. */
function isOfTemplate({ mapping: { orbTemplate, ownMember } }: CompiledMapping, payload: JsonValue): boolean {
  if (orbTemplate === undefined) return true;
  const given = member(payload, 'orb_template');
  const isOwn = given === undefined && ownMember !== undefined && member(payload, ownMember) !== undefined;
  return given === orbTemplate || isOwn;
}

function itemsOf({ items, mapping }: CompiledMapping, payload: JsonValue, roots: BoundValues): JsonValue | undefined {
  if (items !== undefined) return items.evaluate(roots);
  return mapping.isBatch === true && isList(payload) ? payload : [payload];
}

/**
 * Maps a payload event by event, so that a caller may do other work in between: each step is one event. Pure; never
 * throws.
 * @returns the events in the order of the payload, or the reason why there are none
 */
export function* mapSteps(compiled: CompiledMapping, input: MapInput): Generator<undefined, MapResult> {
  const { payload, headers, most } = input;
  if (!isOfTemplate(compiled, payload)) return dead('schema', '/orb_template');
  const roots = new BoundValues({ payload, headers });
  const items = itemsOf(compiled, payload, roots);
  if (!isList(items)) return dead('mapping_error', '/spec/mapping/items');
  const events: EventDraft[] = [];
  for (const item of items.slice(0, most)) {
    const event = eventOf(compiled, new BoundValues({ item }, roots), input);
    if (typeof event === 'string') return dead('mapping_error', pointerOf(event));
    events.push(event);
    yield;
  }
  return { ok: true, events, truncated: Math.max(0, items.length - most) };
}

/** All steps at once. */
export function mapPayload(compiled: CompiledMapping, input: MapInput): MapResult {
  const steps = mapSteps(compiled, input);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
