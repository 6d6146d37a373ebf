import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { policyObject } from '../../support/policies.ts';
import { openDataLedger } from '../../support/data-ledger.ts';
import { payloadOf, textAt } from '../../support/members.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';
import { receiptsOf } from '../check-killed.ts';
import type { Observations } from '../witness.ts';
import { outcomeOf, receiptIn, type PolicyClient } from './changes/client.ts';
import type { ClusterSubject } from './changes/cluster-subject.ts';
import { openPolicyRows } from './changes/rows.ts';
import { KINDS, policyFiles, type Kind } from './kinds.ts';
import type { Seen } from './policy-rounds.ts';

export interface AwayOptions {
  readonly subject: ClusterSubject;
  readonly seen: Observations;
  /** How long the API server is away, and how long the ledger; ms. */
  readonly watchMs: number;
  readonly ledgerMs: number;
  readonly say?: (line: string) => void;
}

const OUTCOME: Readonly<Record<Kind, string>> = {
  allowed: '200',
  before: '403 policy-denied',
  request: '403 policy-denied',
  response: '403 policy-denied',
};
/** A platform whose ledger does not answer sheds load, before it reads the request. */
const LEDGER_AWAY: ReadonlySet<string> = new Set(['503 ledger-unavailable', '503 overloaded']);
const SETTLED_MS = 20_000;
/** Pause between two runs of each kind. */
const PAUSE_MS = 100;

/** What was away, and the receipts of the runs meanwhile. */
export interface Absences {
  readonly seen: Seen;
  /** Receipts of runs while the API server was away, and after it was back. */
  readonly away: readonly string[];
  readonly back: readonly string[];
  /** Texts of runs while the ledger was away. */
  readonly unrecorded: readonly string[];
}

class Caller {
  readonly #client: PolicyClient;
  readonly #seen: Seen;

  constructor(client: PolicyClient, seen: Seen) {
    this.#client = client;
    this.#seen = seen;
  }

  /** A run of each kind. @returns receipts */
  async runEach(): Promise<readonly string[]> {
    const receipts: string[] = [];
    for (const kind of KINDS) {
      const text = `${kind}-${randomUUID()}`;
      const said = await this.#client.run(text);
      const id = receiptIn(said);
      if (outcomeOf(said) !== OUTCOME[kind] || id === undefined) {
        this.#seen.faults.push(`${text} was answered with ${outcomeOf(said)}`);
        continue;
      }
      this.#seen.answers.set(text, id);
      this.#seen.acknowledged.add(id);
      receipts.push(id);
    }
    return receipts;
  }

  /** Runs of each kind that nothing can record. @returns texts */
  async runUnrecorded(): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const kind of KINDS) {
      const text = `${kind}-${randomUUID()}`;
      texts.push(text);
      const said = outcomeOf(await this.#client.run(text));
      if (!LEDGER_AWAY.has(said)) this.#seen.faults.push(`${text} was answered with ${said} while the ledger was away`);
      if (this.#seen.called.has(text)) this.#seen.faults.push(`${text} reached its provider while the ledger was away`);
    }
    return texts;
  }

  async runsFor(ms: number, runs: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const all: string[] = [];
    const until = performance.now() + ms;
    do {
      all.push(...(await runs()));
      await delay(PAUSE_MS);
    } while (performance.now() < until);
    return all;
  }
}

/** Holds the write lock of the file, as a disk that does not answer would. */
async function withoutLedger<T>(file: string, work: () => Promise<T>): Promise<T> {
  const db = new DatabaseSync(file, { timeout: SETTLED_MS });
  db.exec('BEGIN IMMEDIATE');
  try {
    return await work();
  } finally {
    db.exec('ROLLBACK');
    db.close();
  }
}

/** Audits, so that only the digest of the set changes. */
const audited = (name: string): object =>
  policyObject(name, { mode: 'Audit', rules: [{ name: 'rule', effect: 'deny', when: 'orb.score < 200' }] });

/** Takes the API server and then the ledger away from an API whose policies deny in every phase; stops it at the end. */
export async function policiesWhileAway(options: AwayOptions): Promise<Absences> {
  const { subject, seen: observed, watchMs, ledgerMs, say } = options;
  for (const text of Object.values(policyFiles(false))) {
    const policy: unknown = JSON.parse(text);
    if (typeof policy === 'object' && policy !== null) await subject.apply(policy);
  }
  const running = await subject.start();
  const rows = openPolicyRows(running.ledgerFile);
  const seen: Seen = { ...observed, answers: new Map(), called: subject.called, times: [], aimed: [], sent: new Map() };
  const caller = new Caller(running.client, seen);
  const inForce = (name: string) => () => rows.versions(name).some(({ isInForce }) => isInForce);
  try {
    for (const kind of KINDS.filter((one) => one !== 'allowed'))
      await untilTrue(`${kind} is in force`, inForce(kind), SETTLED_MS);
    await caller.runEach();

    subject.proxy.partition();
    await subject.apply(audited('extra'));
    say?.(`the API server is away for ${watchMs / 1000} s`);
    const away = await caller.runsFor(watchMs, () => caller.runEach());
    subject.proxy.heal();
    await untilTrue('the policy that was applied meanwhile is in force', inForce('extra'), SETTLED_MS);
    const back = await caller.runEach();

    say?.(`the ledger is away for ${ledgerMs / 1000} s`);
    const unrecorded = await withoutLedger(running.ledgerFile, async () => {
      await subject.apply(audited('later'));
      return caller.runsFor(ledgerMs, () => caller.runUnrecorded());
    });
    await untilTrue('the version has its row when the ledger is back', inForce('later'), SETTLED_MS);
    await lastAnswer(
      async () => outcomeOf(await running.client.policy('later')),
      (said) => said === '200',
      SETTLED_MS,
    );
    await caller.runEach();
    const code = await running.stop();
    if (code !== 0) seen.faults.push(`the last stop ended with ${code}`);
    return { seen, away, back, unrecorded };
  } finally {
    subject.proxy.heal();
    rows.close();
  }
}

/** Whether all runs while the API server was away were decided by one set, and all later ones by another. */
export async function setFaults(data: string, tenant: string, { away, back }: Absences): Promise<readonly string[]> {
  const { ledger } = await openDataLedger(data);
  try {
    const receipts = await receiptsOf(ledger, tenant);
    const setsOf = (ids: readonly string[]): readonly string[] => [
      ...new Set(ids.map((id) => textAt(payloadOf(receipts.get(id)?.jws), 'policy', 'set_digest'))),
    ];
    const [before, after] = [setsOf(away), setsOf(back)];
    return [
      ...(before.length === 1 ? [] : [`${before.length} sets decided while the API server was away`]),
      ...(after.length === 1 && after[0] !== before[0] ? [] : ['the set did not change when the API server was back']),
    ];
  } finally {
    await ledger.close();
  }
}
