interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** Counts from 0; −1 for native code. */
  readonly lineNumber: number;
}

/** What V8 writes: a tree of frames, and the frame on top of the stack at each sample. Times in µs. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** On the clock of `process.hrtime`. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Time before each sample. */
  readonly timeDeltas: readonly number[];
}

/** A frame with the time that was spent in it and below it, in µs. */
export interface Frame {
  readonly name: string;
  readonly self: number;
  readonly total: number;
  /** The largest first. */
  readonly children: readonly Frame[];
}

/** A part of the profile, on the clock of `process.hrtime`, in µs. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const IDLE = '(idle)';

export const isCpuProfile = (value: unknown): value is CpuProfile =>
  typeof value === 'object' && value !== null && 'nodes' in value && 'samples' in value && 'timeDeltas' in value;

/** Self time of each node within the window: a sample lasts until the next sample. */
function selfTimes({ startTime, samples, timeDeltas }: CpuProfile, { from, to }: Window): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  let time = startTime;
  for (const [index, node] of samples.entries()) {
    time += timeDeltas[index] ?? 0;
    const length = timeDeltas[index + 1] ?? 0;
    if (time >= from && time + length <= to) times.set(node, (times.get(node) ?? 0) + length);
  }
  return times;
}

/** `serialiseRecord (core/receipt/serialise.ts:38)`; the path is from the root of the code, or from node_modules. */
function nameOf({ functionName, url, lineNumber }: CallFrame, root: string): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const path = url.replace(/^file:\/\//, '').replace(`${root}/`, '');
  return path === '' ? name : `${name} (${path.replace(/^.*node_modules\//, '')}:${lineNumber + 1})`;
}

const bySize = (one: Frame, other: Frame): number => other.total - one.total;

/** Frames of the same name below the same caller are one: V8 splits them when code is optimised. */
function merged(frames: readonly Frame[]): readonly Frame[] {
  return [...Map.groupBy(frames, ({ name }) => name)]
    .map(([name, same]) => ({
      name,
      self: same.reduce((sum, frame) => sum + frame.self, 0),
      total: same.reduce((sum, frame) => sum + frame.total, 0),
      children: merged(same.flatMap((frame) => frame.children)),
    }))
    .toSorted(bySize);
}

/**
 * The call tree of a profile.
 * @param root folder of the code
 * @returns the root frame; frames without a sample in the window are left out
 */
export function foldProfile(profile: CpuProfile, window: Window, root: string): Frame {
  const times = selfTimes(profile, window);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const frameOf = (id: number): Frame => {
    const node = nodes.get(id);
    if (node === undefined) throw new TypeError(`the profile has no node ${id}`);
    const children = (node.children ?? []).map(frameOf).filter(({ total }) => total > 0);
    const self = times.get(id) ?? 0;
    const total = children.reduce((sum, child) => sum + child.total, self);
    return { name: nameOf(node.callFrame, root), self, total, children };
  };
  const first = frameOf(profile.nodes[0]?.id ?? 0);
  return { ...first, children: merged(first.children) };
}

/** Self time of each function wherever it is called, largest first, in µs. */
export function selfByFunction(root: Frame): readonly (readonly [name: string, micros: number])[] {
  const sums = new Map<string, number>();
  const add = ({ name, self, children }: Frame): void => {
    sums.set(name, (sums.get(name) ?? 0) + self);
    for (const child of children) add(child);
  };
  add(root);
  return [...sums].filter(([, micros]) => micros > 0).toSorted((one, other) => other[1] - one[1]);
}

const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`;

/** The busiest functions, with their share of the time in which the thread was not idle. */
export function topFunctions(root: Frame, count: number): readonly string[] {
  const all = selfByFunction(root);
  const idle = all.find(([name]) => name === IDLE)?.[1] ?? 0;
  const busy = root.total - idle;
  const rows = all
    .filter(([name]) => name !== IDLE)
    .slice(0, count)
    .map(
      ([name, micros]) => `${percent(micros, busy).padStart(7)}  ${(micros / 1000).toFixed(1).padStart(8)}  ${name}`,
    );
  const head = `main thread: ${(busy / 1000).toFixed(0)} ms busy, ${percent(idle, root.total)} of the time idle`;
  return [head, '   self        ms  function', ...rows];
}
