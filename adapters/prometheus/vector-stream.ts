/** One element of an instant vector. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** Time of the evaluation, seconds since epoch: never the sample's own (failover.md §3.2). */
  readonly evaluatedAt: number;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** An answer without its elements. */
export interface Envelope {
  readonly status: string;
  readonly resultType: string;
  readonly isPartial: boolean;
}

/** The text is not an answer of the query API. */
export class MalformedAnswer extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Depths: 1 the answer, 2 `data`, 3 `data.result`, 4 an element. */
const DATA = 2;
const RESULT = 3;
const RESULT_KEY = /"result"\s*:\s*$/;
/** Forms that JSON and `Number` do not write. */
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['+Inf', Infinity],
  ['Inf', Infinity],
  ['-Inf', -Infinity],
]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLabels = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedAnswer('no JSON', { cause: error });
  }
}

function parseNumber(text: unknown): number {
  if (typeof text !== 'string' || text.trim() === '') throw new MalformedAnswer('a value is no text');
  const special = SPECIAL.get(text);
  if (special !== undefined) return special;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new MalformedAnswer('a value is no number');
  return value;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function parseSample(element: unknown): Sample {
  const { metric, value }: Readonly<Record<string, unknown>> = isRecord(element) ? element : {};
  const [at, text] = isList(value) ? value : [];
  if (!isLabels(metric) || typeof at !== 'number') throw new MalformedAnswer('an element is no sample');
  return { labels: metric, evaluatedAt: at, value: parseNumber(text) };
}

function parseEnvelope(text: string): Envelope {
  const answer = parseJson(text);
  const { status, data, warnings, isPartial }: Readonly<Record<string, unknown>> = isRecord(answer) ? answer : {};
  const { resultType }: Readonly<Record<string, unknown>> = isRecord(data) ? data : {};
  if (typeof status !== 'string') throw new MalformedAnswer('no status');
  return {
    status,
    resultType: typeof resultType === 'string' ? resultType : '',
    // Thanos and Mimir warn, VictoriaMetrics has a member of its own. `infos` do not report missing data.
    isPartial: isPartial === true || (Array.isArray(warnings) && warnings.length > 0),
  };
}

/**
 * Reads an answer piece by piece. At 1 000 Orbs it has 10 MB. `JSON.parse` of that blocks the event loop ten times as
 * long as the swap loop may. This reader follows strings and brackets only, and gives the whole elements of a piece to
 * `JSON.parse` at once. The text around them is small and parsed at the end.
 */
export class VectorStream {
  readonly #onSample: (sample: Sample) => void;
  /** As latin1, one character a byte: a piece may end inside a character. */
  #envelope = '';
  /** Bytes of elements that are not parsed yet. */
  #held: Uint8Array[] = [];
  #inElements = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /**
   * Positions in the current piece: the start of the part that is not kept yet, and the end of the last whole element.
   */
  #from = 0;
  #end = 0;

  constructor(onSample: (sample: Sample) => void) {
    this.#onSample = onSample;
  }

  /** @throws MalformedAnswer */
  write(piece: Buffer): void {
    this.#from = 0;
    this.#end = 0;
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index];
      if (this.#inString) this.#string(byte);
      else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(piece, index, byte);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(piece, index);
    }
    if (!this.#inElements) {
      this.#keepEnvelope(piece, piece.length);
      return;
    }
    if (this.#end > this.#from) this.#parse(piece, this.#end);
    this.#held.push(piece.subarray(this.#from));
  }

  /** @throws MalformedAnswer also when the text ended too early */
  end(): Envelope {
    if (this.#inElements) throw new MalformedAnswer('the answer is cut');
    return parseEnvelope(Buffer.from(this.#envelope, 'latin1').toString('utf8'));
  }

  #string(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #open(piece: Buffer, index: number, byte: number): void {
    if (byte === OPEN_LIST && this.#depth === DATA && !this.#inElements) {
      this.#keepEnvelope(piece, index + 1);
      this.#inElements = RESULT_KEY.test(this.#envelope.slice(-64, -1));
      this.#end = this.#from;
    }
    this.#depth += 1;
  }

  #close(piece: Buffer, index: number): void {
    this.#depth -= 1;
    if (!this.#inElements) return;
    if (this.#depth === RESULT) this.#end = index + 1;
    if (this.#depth >= RESULT) return;
    this.#parse(piece, index);
    this.#inElements = false;
  }

  #keepEnvelope(piece: Buffer, to: number): void {
    this.#envelope += piece.toString('latin1', this.#from, to);
    this.#from = to;
  }

  #parse(piece: Buffer, to: number): void {
    const text = Buffer.concat([...this.#held, piece.subarray(this.#from, to)]).toString('utf8');
    this.#held = [];
    this.#from = to;
    const elements = parseJson(`[${text.replace(/^[\s,]+/, '')}]`);
    if (isList(elements)) for (const element of elements) this.#onSample(parseSample(element));
  }
}
