/** One spelling of one vault entry. */
export interface Pattern {
  readonly bytes: Uint8Array;
  /** Index of the entry that it belongs to. */
  readonly entry: number;
}

/**
 * An Aho–Corasick automaton over bytes. Most states of a trie of secrets have one child, so children are kept as a list and
 * only states with many of them have a dense row: 32 bytes a state, where a full table takes 1 KiB. Each byte costs a
 * constant number of steps, amortised, whatever the text is.
 */
export interface Automaton {
  /** `WIDTH` numbers a state, in one cache line; a state is the offset of the first. State 0 is the root. */
  readonly states: Int32Array;
  /** Rows of 256 states. */
  readonly rows: Int32Array;
}

/** First child and the byte that leads there, 0 and −1 without one. */
const CHILD = 0;
const FIRST = 1;
/** The byte that led to this state, and its next sibling, 0 after the last. */
const LABEL = 2;
const SIBLING = 3;
/** The state of the longest proper suffix that begins a pattern. */
const FAIL = 4;
/** Offset of the state's row, −1 without one; with a row the list is not looked at. */
const ROW = 5;
/** Bytes since the root: so many of the last bytes may be the beginning of a pattern. */
const DEPTH = 6;
/** Index of the longest pattern that ends here, −1 when none does. */
const PATTERN = 7;
const WIDTH = 8;

/** Above this many children a state gets a row of its own. */
const LIST_MAX = 3;
const BYTES = 256;
/** With so few bytes open, a search may stop to skip on. */
const SHALLOW = 2;
const ROOT = 0;

const at = (table: Int32Array | Uint8Array, index: number): number => table[index] ?? 0;

function listed(states: Int32Array, state: number, byte: number): number {
  let found = at(states, state + CHILD);
  while (found !== 0 && at(states, found + LABEL) !== byte) found = at(states, found + SIBLING);
  return found;
}

function initialise(states: Int32Array, state: number, label: number, depth: number): void {
  states[state + FIRST] = -1;
  states[state + LABEL] = label;
  states[state + ROW] = -1;
  states[state + DEPTH] = depth;
  states[state + PATTERN] = -1;
}

/** Children are pushed in front: the first is the newest. */
function addChild(states: Int32Array, state: number, byte: number, added: number): number {
  initialise(states, added, byte, at(states, state + DEPTH) + 1);
  states[added + SIBLING] = at(states, state + CHILD);
  states[state + CHILD] = added;
  states[state + FIRST] = byte;
  return added;
}

function trieOf(patterns: readonly Pattern[]): Int32Array {
  const most = patterns.reduce((sum, { bytes }) => sum + bytes.length, 1);
  const states = new Int32Array(most * WIDTH);
  initialise(states, ROOT, -1, 0);
  let end = WIDTH;
  for (const [index, { bytes }] of patterns.entries()) {
    let state = ROOT;
    for (const byte of bytes) {
      const known = listed(states, state, byte);
      state = known === 0 ? addChild(states, state, byte, end) : known;
      if (known === 0) end += WIDTH;
    }
    // Two entries with one value: the first one names it.
    if (at(states, state + PATTERN) < 0) states[state + PATTERN] = index;
  }
  return states.slice(0, end);
}

function* childrenOf(states: Int32Array, state: number): Generator<number> {
  for (let child = at(states, state + CHILD); child !== 0; child = at(states, child + SIBLING)) yield child;
}

function isCrowded(states: Int32Array, state: number): boolean {
  let children = 0;
  for (let child = at(states, state + CHILD); child !== 0; child = at(states, child + SIBLING)) children += 1;
  return state === ROOT || children > LIST_MAX;
}

/** Gives crowded states their rows. */
function rowsOf(states: Int32Array): Int32Array {
  const crowded: number[] = [];
  for (let state = ROOT; state < states.length; state += WIDTH) if (isCrowded(states, state)) crowded.push(state);
  const rows = new Int32Array(crowded.length * BYTES);
  for (const [index, state] of crowded.entries()) {
    states[state + ROW] = index * BYTES;
    for (const child of childrenOf(states, state)) rows[index * BYTES + at(states, child + LABEL)] = child;
  }
  return rows;
}

/** Where a byte that is not that of the first child leads from a state itself, the root when nowhere. */
function elsewhere(states: Int32Array, rows: Int32Array, state: number, byte: number): number {
  const row = at(states, state + ROW);
  return row < 0 ? listed(states, state, byte) : at(rows, row + byte);
}

function step({ states, rows }: Automaton, state: number, byte: number): number {
  let from = state;
  let to = elsewhere(states, rows, from, byte);
  while (to === ROOT && from !== ROOT) {
    from = at(states, from + FAIL);
    to = elsewhere(states, rows, from, byte);
  }
  return to;
}

/** Breadth first: the failure of a state is shallower, so it is known before it is needed. */
function linkFailures(automaton: Automaton): void {
  const { states } = automaton;
  const queue = new Int32Array(states.length / WIDTH);
  let end = 1;
  for (let head = 0; head < end; head += 1) {
    const state = at(queue, head);
    for (const child of childrenOf(states, state)) {
      queue[end] = child;
      end += 1;
      const fail = state === ROOT ? ROOT : step(automaton, at(states, state + FAIL), at(states, child + LABEL));
      states[child + FAIL] = fail;
      if (at(states, child + PATTERN) < 0) states[child + PATTERN] = at(states, fail + PATTERN);
    }
  }
}

/** Builds the automaton of these patterns; none of them may be empty. */
export function automatonOf(patterns: readonly Pattern[]): Automaton {
  const states = trieOf(patterns);
  const automaton = { states, rows: rowsOf(states) };
  linkFailures(automaton);
  return automaton;
}

/** Where a search stands: the next byte to read, and the state after those before it. */
export interface Cursor {
  index: number;
  state: number;
}

/** Where a search starts. */
export const cursorAt = (index: number): Cursor => ({ index, state: ROOT });

/** How many of the last bytes may be the beginning of a pattern. */
export const openBytes = (automaton: Automaton, { state }: Cursor): number => at(automaton.states, state + DEPTH);

/** The longest pattern that ends at the cursor, −1 when none does. */
export const patternAt = (automaton: Automaton, { state }: Cursor): number => at(automaton.states, state + PATTERN);

/**
 * Reads on until a pattern ends, or to the end of the text.
 * @param candidate also stops when every pattern that may have begun, began after this offset, and with so few bytes that
 *   skipping on is cheaper than following them; the length of the text: never
 */
export function advance({ states, rows }: Automaton, cursor: Cursor, bytes: Uint8Array, candidate: number): void {
  const { length } = bytes;
  let { index, state } = cursor;
  while (index < length) {
    const byte = at(bytes, index);
    if (at(states, state + FIRST) === byte) state = at(states, state + CHILD);
    else {
      const to = elsewhere(states, rows, state, byte);
      if (to === ROOT && state !== ROOT) {
        state = at(states, state + FAIL); // and look at the same byte again
        continue;
      }
      state = to;
      const depth = at(states, state + DEPTH);
      if (depth <= SHALLOW && index + 1 - depth > candidate) {
        index += 1;
        break;
      }
    }
    index += 1;
    if (at(states, state + PATTERN) >= 0) break;
  }
  cursor.index = index;
  cursor.state = state;
}
