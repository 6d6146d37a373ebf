import { jcs } from '../../json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { fillHoles, HOLE, partsAround, SEAM, type SharedText } from '../../json/shared-text.ts';
import type { Facts } from '../language/port.ts';
import { fits, isWithin, withoutPrototype } from './build-facts.ts';
import { canonicalWithHoles } from './canonical.ts';
import { MAX_INPUT_FACT, ORB_FACTS } from './orb-facts.ts';

/**
 * Facts that outlive a run, from `orbFacts`, `callerFacts` and `orbisetFacts`. They do not change: the same objects have
 * the same facts.
 */
export interface LastingFacts {
  readonly orb: JsonObject;
  readonly caller: JsonObject;
  readonly orbiset: JsonObject;
}

/** A run before a secret is read. */
export interface PreFlightInput extends LastingFacts {
  /** Undefined when the counts could not be read: rules that read one fail. */
  readonly runsToday: { readonly caller: number; readonly orbiset: number; readonly orb: number } | undefined;
  /** ms since the epoch */
  readonly startedAt: number;
  readonly hasIdempotencyKey: boolean;
  readonly inputs: JsonObject;
  /** Bytes of the canonical JSON of the inputs. */
  readonly inputBytes: number;
  /** Inputs whose values become facts: `inputNames` of the policy set. */
  readonly inputNames: readonly string[];
}

/** An input as a fact: text, truth or whole number; another number is its decimal text, the rest is absent. */
function inputFact(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return fits(value, MAX_INPUT_FACT) ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value);
  return typeof value === 'boolean' ? value : undefined;
}

function inputFacts({ inputs, inputNames }: PreFlightInput): JsonObject {
  const named = inputNames.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const value = inputFact(Object.hasOwn(inputs, name) ? inputs[name] : undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return withoutPrototype(named);
}

const MOST_FIELDS = 256;

/** Dotted paths of the values, objects opened: `user.name`. Stops beyond what a fact may hold. */
function addFields(value: JsonObject, prefix: string, found: string[]): void {
  for (const [name, inner] of Object.entries(value)) {
    if (found.length > MOST_FIELDS) return;
    const path = `${prefix}${name}`;
    if (isJsonObject(inner) && Object.keys(inner).length > 0) addFields(inner, `${path}.`, found);
    else found.push(path);
  }
}

function fieldsOf(inputs: JsonObject): readonly string[] {
  const found: string[] = [];
  addFields(inputs, '', found);
  return found.toSorted();
}

interface Woven {
  readonly text: string;
  /** The same text. What outlives the run is its shared part. */
  readonly shared: SharedText;
}

/** Facts with their canonical JSON text, which is stored beside the run. */
export interface PreFlightFacts extends Woven {
  readonly facts: Facts;
}

/** Members of one root that change with the run. */
interface OwnFacts {
  /** In order; one array for each set of names. */
  readonly names: readonly string[];
  readonly values: readonly number[];
}

const NO_OWN: OwnFacts = { names: [], values: [] };
const CALLER_COUNTS = ['runs_today'] as const;
const ORBISET_COUNTS = ['orb_runs_today', 'runs_today'] as const;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const countsOf = (names: readonly string[], values: readonly number[] | undefined): OwnFacts =>
  values?.every(isCount) === true ? { names, values } : NO_OWN;

function withOwn(lasting: JsonObject, { names, values }: OwnFacts): JsonObject {
  const facts: Record<string, JsonValue> = { ...lasting };
  for (let index = 0; index < names.length; index += 1) facts[names[index] ?? ''] = values[index] ?? 0;
  return facts;
}

const FIELDS = ORB_FACTS.facts.get('request.fields');

/** A shared text of PreFlight, and the texts around its holes. */
interface Frame {
  /** Texts of caller, Orb and Orbiset: the frame is made of them. */
  readonly of: readonly string[];
  readonly shared: string;
  readonly parts: readonly string[];
}

const frames = new WeakMap<JsonObject, Frame>();

/** The frame of most runs of an Orb is that of the run before. */
function frameOf(orb: JsonObject, texts: readonly string[]): Frame {
  const found = frames.get(orb);
  if (found?.of.every((text, index) => text === texts[index]) === true) return found;
  const shared = `{${texts.join('')}}`;
  const frame = { of: texts, shared, parts: partsAround(shared) };
  frames.set(orb, frame);
  return frame;
}

const NO_NAMES: readonly string[] = [];
const RUN_TEXT = `"run":{"has_idempotency_key":${HOLE},"started_at":"${HOLE}"}`;
const ALL_OF_REQUEST = `,"request":{"fields":${HOLE},"input_bytes":${HOLE}},${RUN_TEXT}`;
const ANY_REQUEST = `,"request":${HOLE},${RUN_TEXT}`;

/** What a run adds to the facts that outlive it. */
interface RunFacts {
  readonly ofCaller: OwnFacts;
  readonly ofOrbiset: OwnFacts;
  readonly startedAt: string;
  readonly request: JsonObject;
  /** Whether that has all its members: more fields than a fact may hold are absent. */
  readonly hasAllOfRequest: boolean;
  /** Undefined: no input is a fact. */
  readonly named: JsonObject | undefined;
}

function runFacts(input: PreFlightInput): RunFacts {
  const { runsToday } = input;
  const fields = fieldsOf(input.inputs);
  const hasFields = FIELDS !== undefined && isWithin(FIELDS, fields);
  const hasBytes = isCount(input.inputBytes);
  const named = input.inputNames.length === 0 ? {} : inputFacts(input);
  return {
    ofCaller: countsOf(CALLER_COUNTS, runsToday && [runsToday.caller]),
    ofOrbiset: countsOf(ORBISET_COUNTS, runsToday && [runsToday.orb, runsToday.orbiset]),
    startedAt: new Date(input.startedAt).toISOString(),
    request: {
      ...(hasFields ? { fields } : {}),
      ...(hasBytes ? { input_bytes: input.inputBytes } : {}),
    },
    hasAllOfRequest: hasFields && hasBytes,
    named: Object.keys(named).length === 0 ? undefined : named,
  };
}

function sharedFacts(input: PreFlightInput, ofRun: RunFacts): Woven {
  const { ofCaller, ofOrbiset, startedAt, request, hasAllOfRequest, named } = ofRun;
  // In the order of names, as canonical JSON has it.
  const { shared, parts } = frameOf(input.orb, [
    '"caller":',
    canonicalWithHoles(input.caller, ofCaller.names),
    named === undefined ? '' : `,"inputs":${HOLE}`,
    `${SEAM},"orb":`,
    canonicalWithHoles(input.orb, NO_NAMES),
    `${SEAM},"orbiset":`,
    canonicalWithHoles(input.orbiset, ofOrbiset.names),
    hasAllOfRequest ? ALL_OF_REQUEST : ANY_REQUEST,
  ]);
  const own = ofCaller.values.map(String);
  if (named !== undefined) own.push(jcs(named));
  for (const count of ofOrbiset.values) own.push(String(count));
  if (hasAllOfRequest) own.push(jcs(request['fields'] ?? null), String(input.inputBytes));
  else own.push(jcs(request));
  own.push(String(input.hasIdempotencyKey), startedAt);
  return { text: fillHoles(parts, own), shared: { shared, own } };
}

/** The facts of phase PreFlight. */
export function preFlightFacts(input: PreFlightInput): PreFlightFacts {
  const { orb, caller, orbiset, hasIdempotencyKey } = input;
  const ofRun = runFacts(input);
  const { ofCaller, ofOrbiset, startedAt, request, named } = ofRun;
  const facts = {
    orb,
    caller: withOwn(caller, ofCaller),
    orbiset: withOwn(orbiset, ofOrbiset),
    run: { started_at: startedAt, has_idempotency_key: hasIdempotencyKey },
    request,
  };
  return { facts: named === undefined ? facts : { ...facts, inputs: named }, ...sharedFacts(input, ofRun) };
}
