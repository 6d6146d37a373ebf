import type { Ledger, StoredDecision, StoredReceipt } from '../../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { openDataLedger } from '../../support/data-ledger.ts';
import { at, payloadOf, textAt } from '../../support/members.ts';
import { receiptsOf } from '../check-killed.ts';
import { DENIED_IN, kindOf, type Kind } from './kinds.ts';
import type { PointKill } from './points.ts';
import type { Seen } from './policy-rounds.ts';

/** What the ledger of a killed platform holds about decisions. */
export interface KilledDecisions {
  readonly decisions: number;
  /** By phase. */
  readonly denied: Readonly<Record<string, number>>;
  /** Runs at which a kill was aimed: how far each came. */
  readonly struck: Readonly<Record<string, number>>;
  /** Every kill, with what it left. */
  readonly kills: readonly PointKill[];
  /** Empty when nothing was lost, doubled or called in spite of a denial. */
  readonly faults: readonly string[];
}

type Receipts = ReadonlyMap<string, StoredReceipt>;

/** A run as its rows say it. */
interface DecidedRun {
  readonly text: string;
  readonly kind: Kind | undefined;
  readonly stored: StoredDecision;
  readonly record: JsonObject | undefined;
}

async function allDecisions(ledger: Ledger, tenant: string): Promise<readonly StoredDecision[]> {
  const all: StoredDecision[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await ledger.decisions(tenant, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all;
}

async function textOfRun(ledger: Ledger, { tenant, runId }: StoredDecision): Promise<string> {
  const [first] = await ledger.runFacts(tenant, runId);
  const facts: unknown = JSON.parse(first?.facts ?? '{}');
  return isJsonObject(facts) ? textAt(facts, 'inputs', 'text') : '';
}

function phaseOf({ json }: StoredDecision): string {
  const record: unknown = JSON.parse(json);
  return isJsonObject(record) ? textAt(record, 'phase') : '';
}

type Fault = readonly [isFault: boolean, what: string];

/** How the decision of a run contradicts its receipt. */
function receiptFaults({ stored, record }: DecidedRun): readonly Fault[] {
  const isDenied = stored.decision === 'deny';
  if (record === undefined) return [[isDenied, 'was denied and has no receipt']];
  return [
    [isDenied !== (at(record, 'execution', 'outcome') === 'policy_denied'), 'has a receipt with another outcome'],
    [at(record, 'policy', 'decision') !== stored.decision, 'is decided otherwise in its receipt'],
  ];
}

/** How the decision of a run contradicts what the policies say, and what the provider saw. */
function decisionFaults(
  { text, kind, stored, record }: DecidedRun,
  called: ReadonlyMap<string, number>,
): readonly Fault[] {
  const phase = kind === undefined ? undefined : DENIED_IN[kind];
  if (stored.decision === 'deny')
    return [
      [phase !== phaseOf(stored), `was denied in ${phaseOf(stored)}`],
      [phase !== 'Response' && called.has(text), 'was denied, and its provider was called'],
    ];
  const isSuccess = record !== undefined && at(record, 'execution', 'outcome') === 'success';
  return [
    [phase === 'PreFlight' || phase === 'Request', 'was let through'],
    [phase === 'Response' && isSuccess, 'was let through after its answer'],
  ];
}

function faultsOf(run: DecidedRun, called: ReadonlyMap<string, number>): readonly string[] {
  const all: readonly Fault[] = [
    [run.kind === undefined, 'has no text'],
    ...receiptFaults(run),
    ...decisionFaults(run, called),
  ];
  return all.filter(([isFault]) => isFault).map(([, what]) => `${run.text || run.stored.runId} ${what}`);
}

/** How far a run came before the kill. */
const progressOf = (run: DecidedRun | undefined): string => {
  if (run === undefined) return 'not recorded';
  return run.record === undefined ? 'open' : 'finished';
};

async function decidedRuns(ledger: Ledger, receipts: Receipts, tenant: string): Promise<readonly DecidedRun[]> {
  const all: DecidedRun[] = [];
  for (const stored of await allDecisions(ledger, tenant)) {
    const text = await textOfRun(ledger, stored);
    const receipt = receipts.get(stored.receiptId ?? '');
    all.push({ text, kind: kindOf(text), stored, record: receipt && payloadOf(receipt.jws) });
  }
  return all;
}

/** What callers and the provider saw, and no row says. */
function missing(runs: ReadonlyMap<string, DecidedRun>, receipts: Receipts, seen: Seen): readonly string[] {
  const decided = new Set([...runs.values()].map(({ stored }) => stored.receiptId));
  return [
    ...[...seen.called.keys()]
      .filter((text) => !runs.has(text))
      .map((text) => `${text} reached its provider, and no decision is recorded`),
    ...[...seen.answers]
      .filter(([text, id]) => runs.get(text)?.stored.receiptId !== id)
      .map(([text, id]) => `${text} was answered with ${id}, which is not its receipt`),
    ...[...receipts.keys()].filter((id) => !decided.has(id)).map((id) => `${id} is of a run without a decision`),
  ];
}

/** What the runs around each kill show: those that were sent before it, and just after the next start. */
function killsOf(all: readonly DecidedRun[], seen: Seen): readonly PointKill[] {
  const byText = Map.groupBy(all, ({ text }) => text);
  const sentAround = Map.groupBy([...seen.sent], ([, kill]) => kill);
  return seen.aimed.map(({ aim, text: struck }, index) => {
    const texts = (sentAround.get(index) ?? []).map(([text]) => text);
    const isLost = (text: string): boolean => {
      const id = seen.answers.get(text);
      const runs = byText.get(text) ?? [];
      return id !== undefined && !runs.some(({ stored, record }) => stored.receiptId === id && record !== undefined);
    };
    return {
      point: aim,
      isHit: !seen.answers.has(struck),
      lost: texts.filter(isLost).length,
      doubled: texts.filter((text) => (byText.get(text)?.length ?? 0) > 1).length,
    };
  });
}

const countsOf = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

/**
 * Compares the decisions in the ledger of a stopped platform with what callers and the provider saw.
 * @param tenant the only tenant that has runs
 */
export async function checkDecisions(data: string, seen: Seen, tenant = 'default'): Promise<KilledDecisions> {
  const { ledger } = await openDataLedger(data);
  try {
    const receipts = await receiptsOf(ledger, tenant);
    const all = await decidedRuns(ledger, receipts, tenant);
    const runs = new Map(all.map((run) => [run.text, run]));
    const denials = all.filter(({ stored }) => stored.decision === 'deny');
    return {
      decisions: all.length,
      denied: countsOf(denials.map(({ stored }) => phaseOf(stored)).toSorted()),
      struck: countsOf(seen.aimed.map(({ aim, text }) => `${aim}: ${progressOf(runs.get(text))}`).toSorted()),
      kills: killsOf(all, seen),
      faults: [
        ...(runs.size === all.length ? [] : ['a run was made twice']),
        ...all.flatMap((run) => faultsOf(run, seen.called)),
        ...missing(runs, receipts, seen),
      ],
    };
  } finally {
    await ledger.close();
  }
}
