/** Names of one log after the other: `orbs.example/log`, `orbs.example/log-2`, `orbs.example/log-3` … */
const ORIGIN = /^(\S+\/log)(?:-([2-9]|[1-9]\d{1,5}))?$/;

interface Numbered {
  readonly base: string;
  /** From 1. */
  readonly number: number;
}

function numbered(origin: string): Numbered | undefined {
  const match = ORIGIN.exec(origin);
  return match === null ? undefined : { base: match[1] ?? '', number: Number(match[2] ?? 1) };
}

/**
 * The origin of a log that begins anew where the history of this one is in doubt (trust.md §3.1).
 * @returns undefined: the origin is none of this platform
 */
export function nextOrigin(origin: string): string | undefined {
  const found = numbered(origin);
  return found === undefined ? undefined : `${found.base}-${found.number + 1}`;
}

/** Whether `origin` was begun after `other`, by the same platform. An origin does not succeed itself. */
export function succeeds(origin: string, other: string): boolean {
  const [later, earlier] = [numbered(origin), numbered(other)];
  return later !== undefined && earlier !== undefined && later.base === earlier.base && later.number > earlier.number;
}
