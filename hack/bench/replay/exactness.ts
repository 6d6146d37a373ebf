import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { textAt } from '../../../test/support/members.ts';
import { objectAt } from '../reputation/served.ts';
import { scrape } from '../scrape.ts';
import type { BenchServer } from '../subjects.ts';
import type { Row } from '../table.ts';
import { firstChanges, replay, type Replayed } from './asked-replay.ts';

/** An enforced policy of the tenant: replaying it as it is leaves the policies in force as they are. */
const POLICY = 'guard';

/** The policies in force over receipts of their own (reliability.md R19). */
export interface Exactness {
  readonly evaluated: number;
  readonly unchanged: number;
  /** Runs that were denied and are again: a replay that allows everything is not exact by this. */
  readonly denied: number;
  readonly seconds: number;
  /** Counts, reasons and the first differences; empty when there is none. */
  readonly differences: readonly string[];
}

async function policyInForce(server: BenchServer, namespace: string): Promise<JsonObject> {
  const { items = [] } = await objectAt(server, `/policies/${namespace}/${POLICY}/versions`);
  const [newest] = listAt({ items }, 'items');
  if (!isJsonObject(newest)) throw new Error(`the policy ${namespace}/${POLICY} has no version`);
  return { ref: `${namespace}/${POLICY}`, digest: textAt(newest, 'digest') };
}

async function differencesOf(server: BenchServer, done: Replayed): Promise<readonly string[]> {
  const changes = await firstChanges(server, done);
  return [done.counts, ...done.indeterminate, ...changes].map((one) => JSON.stringify(one));
}

async function replayInForce(server: BenchServer, namespace: string): Promise<Replayed> {
  return replay(server, await policyInForce(server, namespace));
}

/** @param denied runs of the tenant that policies denied */
export async function measureExactness(server: BenchServer, namespace: string, denied: number): Promise<Exactness> {
  const done = await replayInForce(server, namespace);
  const { evaluated, seconds, counts } = done;
  const unchanged = Number(counts['unchanged']);
  const differences = unchanged === evaluated ? [] : await differencesOf(server, done);
  return { evaluated, unchanged, denied, seconds, differences };
}

/** What a replay says when a snapshot and a receipt were changed. */
export interface Tampered {
  readonly changed: number;
  readonly unchanged: number;
  /** Runs with `digest_mismatch`. */
  readonly mismatches: number;
  /** The same in the metrics. */
  readonly counted: number;
}

/** @param changed rows of the ledger in which a byte was changed */
export async function measureTampered(server: BenchServer, namespace: string, changed: number): Promise<Tampered> {
  const { counts, indeterminate } = await replayInForce(server, namespace);
  const found = indeterminate.find((one) => isJsonObject(one) && one['reason'] === 'digest_mismatch');
  const mismatches = isJsonObject(found) ? Number(found['count']) : 0;
  const counted = (await scrape(server.metrics ?? '')).sum('orb_policy_replay_mismatches_total');
  return { changed, unchanged: Number(counts['unchanged']), mismatches, counted };
}

/** `100.000 %`, and below it when a single run differs. */
const percent = (part: number, whole: number): string =>
  `${(Math.floor((100_000 * part) / Math.max(1, whole)) / 1000).toFixed(3)} %`;

/** @param least receipts that must have been replayed */
export function exactnessRows(exact: Exactness, tampered: Tampered, least: number): readonly Row[] {
  const { evaluated, unchanged, denied, seconds } = exact;
  const isExact = unchanged === evaluated && evaluated >= least && denied > 0;
  const { changed, mismatches, counted } = tampered;
  return [
    {
      what: `policies in force over their own ${evaluated} receipts, ${denied} of them denied: equal`,
      measured: percent(unchanged, evaluated),
      goal: `100.000 % of ≥ ${least}`,
      met: isExact,
    },
    {
      what: 'receipts/s of the thread that replays them, three phases',
      measured: (evaluated / seconds).toFixed(0),
    },
    {
      what: 'a changed snapshot and a changed receipt: Indeterminate; counted; still equal',
      measured: `${mismatches}; ${counted}; ${tampered.unchanged}`,
      goal: `${changed}; ${changed}; ${evaluated - changed}`,
      met: mismatches === changed && counted === changed && tampered.unchanged === evaluated - changed,
    },
  ];
}
