import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { RULES, type FailoverStatus, type Hold, type Ramp, type RuleId, type SwapRecord } from './types.ts';

const REASONS = ['primary', 'manual', 'hard_failure', 'latency', 'failback'] as const;
type Reason = FailoverStatus['reason'];

/** A status with only the active provider. */
export const newStatus = (activeProvider: string, since: number, reason: Reason = 'primary'): FailoverStatus => ({
  activeProvider,
  since,
  reason,
  swapSeq: 0,
  epoch: 0,
  holds: [],
  dwellUntil: null,
  ramp: null,
  frozen: null,
  pin: { handledId: null, overriddenId: null, expiredId: null, firstSeen: null },
  probeRequestedAt: null,
  history: [],
  aborts: [],
});

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const wholeOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? Math.abs(value) : null; // not -0

// A date with an offset may be after the year 9999. A status can't hold such a date, so every write would fail.
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

function timeOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.min(Math.max(time, 0), LAST_TIME);
}

/** Whether every member could be read. */
const isComplete = <T extends object>(parts: { readonly [Name in keyof T]: T[Name] | null }): parts is T =>
  Object.values(parts).every((part) => part !== null);

const listOf = <T>(value: unknown, read: (item: JsonObject) => T | null): readonly T[] =>
  Array.isArray(value) ? value.flatMap((item: unknown) => (isJsonObject(item) ? (read(item) ?? []) : [])) : [];

const memberOf = <T>(value: unknown, read: (item: JsonObject) => T | null): T | null =>
  isJsonObject(value) ? read(value) : null;

const whole = <T extends object>(parts: { readonly [Name in keyof T]: T[Name] | null }): T | null =>
  isComplete(parts) ? parts : null;

const holdOf = ({ provider, until, level }: JsonObject): Hold | null =>
  whole<Hold>({ provider: textOf(provider), until: timeOf(until), level: wholeOf(level) });

function rampOf({ provider, percent, stepStartedAt, trial }: JsonObject): Ramp | null {
  const ramp = whole<Ramp>({
    provider: textOf(provider),
    percent: wholeOf(percent),
    stepStartedAt: timeOf(stepStartedAt),
    trial: typeof trial === 'boolean' ? trial : null,
  });
  return ramp !== null && ramp.percent >= 1 && ramp.percent <= 99 ? ramp : null;
}

const frozenOf = ({ until, reason }: JsonObject): FailoverStatus['frozen'] =>
  whole<NonNullable<FailoverStatus['frozen']>>({ until: timeOf(until), reason: textOf(reason) });

function pinOf(value: unknown): FailoverStatus['pin'] {
  const { handledId, overriddenId, expiredId, firstSeenId, firstSeenAt } = isJsonObject(value) ? value : {};
  return {
    handledId: textOf(handledId),
    overriddenId: textOf(overriddenId),
    expiredId: textOf(expiredId),
    firstSeen: whole<{ readonly id: string; readonly at: number }>({
      id: textOf(firstSeenId),
      at: timeOf(firstSeenAt),
    }),
  };
}

const reasonOf = (value: unknown): Reason | null => REASONS.find((reason) => reason === value) ?? null;
const ruleOf = (value: unknown): RuleId | null => RULES.find((rule) => rule === value) ?? null;

function swapOf(item: JsonObject): SwapRecord | null {
  const reason = reasonOf(item['reason']);
  const known = whole<Omit<SwapRecord, 'actor' | 'evidence'>>({
    seq: wholeOf(item['seq']),
    at: timeOf(item['at']),
    from: textOf(item['from']),
    to: textOf(item['to']),
    reason: reason === 'primary' ? null : reason,
    rule: ruleOf(item['rule']),
    epoch: wholeOf(item['epoch']),
    receiptId: textOf(item['receiptId']),
  });
  return known === null ? null : { ...known, actor: textOf(item['actor']), evidence: textOf(item['evidence']) };
}

/**
 * Reads `Orb.status.failover` for the rules. Total: a malformed member or list entry counts as absent, so that a broken
 * status never blocks the decisions about an Orb (security.md S29).
 * @returns null when the active provider, or the time since when it is active, can't be read
 */
export function readFailoverStatus(value: unknown): FailoverStatus | null {
  if (!isJsonObject(value)) return null;
  const activeProvider = textOf(value['activeProvider']);
  const since = timeOf(value['since']);
  if (activeProvider === null || since === null) return null;
  return {
    ...newStatus(activeProvider, since, reasonOf(value['reason']) ?? 'primary'),
    swapSeq: wholeOf(value['swapSeq']) ?? 0,
    epoch: wholeOf(value['epoch']) ?? 0,
    holds: listOf(value['holds'], holdOf),
    dwellUntil: timeOf(value['dwellUntil']),
    ramp: memberOf(value['ramp'], rampOf),
    frozen: memberOf(value['frozen'], frozenOf),
    pin: pinOf(value['pin']),
    probeRequestedAt: timeOf(value['probeRequestedAt']),
    history: listOf(value['history'], swapOf),
    aborts: listOf(value['aborts'], ({ provider, at }) =>
      whole<{ readonly provider: string; readonly at: number }>({ provider: textOf(provider), at: timeOf(at) }),
    ),
  };
}

const iso = (time: number): string => new Date(time).toISOString();

/** Leaves out members that are null, `undefined` or empty, so that a status holds only what has happened. */
function filled(parts: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const members: Record<string, JsonObject[string]> = {};
  for (const [name, part] of Object.entries(parts)) {
    const isEmpty = part === undefined || part === null || (typeof part === 'object' && Object.keys(part).length === 0);
    if (!isEmpty) members[name] = part;
  }
  return members;
}

const isoOr = (time: number | null | undefined): string | null => (typeof time === 'number' ? iso(time) : null);

const swapText = ({ at, actor, evidence, ...swap }: SwapRecord): JsonObject => ({
  ...swap,
  at: iso(at),
  ...filled({ actor, evidence }),
});

/**
 * The inverse of `readFailoverStatus`. Members that are null, 0 or empty are left out, so an Orb that was never swapped
 * holds `activeProvider`, `since` and `reason` only.
 * @param status times within the range of `Date`
 */
export function writeFailoverStatus(status: FailoverStatus): JsonObject {
  const { pin, ramp, frozen } = status;
  return filled({
    activeProvider: status.activeProvider,
    since: iso(status.since),
    reason: status.reason,
    swapSeq: status.swapSeq === 0 ? null : status.swapSeq,
    epoch: status.epoch === 0 ? null : status.epoch,
    holds: status.holds.map(({ provider, until, level }) => ({ provider, until: iso(until), level })),
    dwellUntil: isoOr(status.dwellUntil),
    ramp: ramp === null ? null : { ...ramp, stepStartedAt: iso(ramp.stepStartedAt) },
    frozen: frozen === null ? null : { ...frozen, until: iso(frozen.until) },
    pin: filled({
      handledId: pin.handledId,
      overriddenId: pin.overriddenId,
      expiredId: pin.expiredId,
      firstSeenId: pin.firstSeen?.id,
      firstSeenAt: isoOr(pin.firstSeen?.at),
    }),
    probeRequestedAt: isoOr(status.probeRequestedAt),
    history: status.history.map(swapText),
    aborts: status.aborts.map(({ provider, at }) => ({ provider, at: iso(at) })),
  });
}
