/** Names of successive logs: `orbs.example/log`, `orbs.example/log-2`, `orbs.example/log-3` … */
const ORIGIN = /^(\S+\/log)(?:-([2-9]|[1-9]\d{1,5}))?$/;

interface Numbered {
  readonly base: string;
  /** Number of the log, from 1. */
  readonly number: number;
}

function numbered(origin: string): Numbered | undefined {
  const match = ORIGIN.exec(origin);
  return match === null ? undefined : { base: match[1] ?? '', number: Number(match[2] ?? 1) };
}

/**
 * The origin of the next log, which starts when the history of this log is in doubt (trust.md §3.1).
 * @returns undefined when the origin is not of this platform
 */
export function nextOrigin(origin: string): string | undefined {
  const found = numbered(origin);
  return found === undefined ? undefined : `${found.base}-${found.number + 1}`;
}

/** Whether the log `origin` was started after `other` by the same platform. An origin does not succeed itself. */
export function isLaterOrigin(origin: string, other: string): boolean {
  const [later, earlier] = [numbered(origin), numbered(other)];
  return later !== undefined && earlier !== undefined && later.base === earlier.base && later.number > earlier.number;
}
