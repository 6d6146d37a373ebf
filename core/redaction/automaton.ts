/** One spelling of one vault entry. */
export interface Pattern {
  readonly bytes: Uint8Array;
  /** Index of the vault entry. */
  readonly entry: number;
}

/**
 * An Aho–Corasick automaton over bytes. Most states of a trie of secrets have one child. So children are kept as a
 * list, and only states with many children have a dense row. A state takes 32 bytes; a full table would take 1 KiB per
 * state. Each byte costs a constant number of steps, amortised, for any text.
 */
export interface Automaton {
  /** `WIDTH` numbers per state, in one cache line; a state is the offset of its first number. State 0 is the root. */
  readonly states: Int32Array;
  /** Dense rows of 256 states each. */
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
/** Offset of the state's row, −1 without a row. The list of a state with a row is not used. */
const ROW = 5;
/** Bytes since the root: this many of the last bytes may be the beginning of a pattern. */
const DEPTH = 6;
/** Index of the longest pattern that ends here, −1 without one. */
const PATTERN = 7;
const WIDTH = 8;

/** Above this many children a state gets a row of its own. */
const LIST_MAX = 3;
const BYTES = 256;
/** With at most this many open bytes, a search may stop and skip ahead. */
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

/** Children are added at the front of the list: the first child is the newest. */
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
    // Two entries with one value: the first entry gives its name.
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

/** Gives states with many children their rows. */
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

/** The next state for a byte that does not match the first child; the root when no child matches. */
function otherChild(states: Int32Array, rows: Int32Array, state: number, byte: number): number {
  const row = at(states, state + ROW);
  return row < 0 ? listed(states, state, byte) : at(rows, row + byte);
}

function step({ states, rows }: Automaton, state: number, byte: number): number {
  let from = state;
  let to = otherChild(states, rows, from, byte);
  while (to === ROOT && from !== ROOT) {
    from = at(states, from + FAIL);
    to = otherChild(states, rows, from, byte);
  }
  return to;
}

/** Links failure states breadth first: the failure of a state is shallower, so it is known in time. */
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

/** Builds the automaton of these patterns, which must not be empty. */
export function automatonOf(patterns: readonly Pattern[]): Automaton {
  const states = trieOf(patterns);
  const automaton = { states, rows: rowsOf(states) };
  linkFailures(automaton);
  return automaton;
}

/** Position of a search: the next byte to read, and the state after the bytes before it. */
export interface Cursor {
  index: number;
  state: number;
}

/** A cursor at the start of a search. */
export const cursorAt = (index: number): Cursor => ({ index, state: ROOT });

/** How many of the last bytes may be the beginning of a pattern. */
export const openBytes = (automaton: Automaton, { state }: Cursor): number => at(automaton.states, state + DEPTH);

/** The longest pattern that ends at the cursor, −1 without one. */
export const patternAt = (automaton: Automaton, { state }: Cursor): number => at(automaton.states, state + PATTERN);

/**
 * Reads on until a pattern ends, or to the end of the text.
 * @param candidate also stops when all possible matches begin after this offset, and so few bytes are open that
 * skipping ahead is cheaper. The length of the text: never stops for that.
 */
export function advance({ states, rows }: Automaton, cursor: Cursor, bytes: Uint8Array, candidate: number): void {
  const { length } = bytes;
  let { index, state } = cursor;
  while (index < length) {
    const byte = at(bytes, index);
    if (at(states, state + FIRST) === byte) state = at(states, state + CHILD);
    else {
      const to = otherChild(states, rows, state, byte);
      if (to === ROOT && state !== ROOT) {
        state = at(states, state + FAIL); // then read the same byte again
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
