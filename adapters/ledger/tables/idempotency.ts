import type { StatementSync } from 'node:sqlite';
import { bodyTag, NONCE_BYTES, openAnswer, sealAnswer, type AnswerPlace } from '../sealed-answer.ts';
import { integerOf, optionalBlobOf, textOf } from '../sqlite/columns.ts';
import { ledgerError } from '../sqlite/sqlite-error.ts';
import {
  numberOf,
  refused,
  unexpected,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

export interface IdempotencyClaim {
  readonly path: string;
  readonly key: string;
  /** Lower-case hex SHA-256 of the request body. */
  readonly bodySha256: string;
  readonly expiresAt: number;
}

/** The state of a claim: running (no answer yet), or answered. `answer` is decrypted. */
export interface IdempotencyEntry {
  /** Whether the request that made the claim had the same body as the one that asks. */
  readonly isSameBody: boolean;
  readonly runId: string;
  readonly answer: string | undefined;
}

/** A claim of which a request asks whether it exists. */
type AskedClaim = Pick<IdempotencyClaim, 'path' | 'key' | 'bodySha256'>;

/** Claims of keys, with the answers under them. A run makes its claim as it starts (`startRun`). */
interface IdempotencyPort {
  readonly idempotent: (tenant: string, asked: AskedClaim) => Promise<IdempotencyEntry | undefined>;
  /**
   * Keeps the answer of a request that is not a run, encrypted like the answer of a run. The first answer under a key
   * stays.
   * @param requestId id of the request, in place of a run id
   * @returns the entry that holds the key already; undefined: this answer was stored
   */
  readonly keepAnswer: (
    tenant: string,
    claim: IdempotencyClaim,
    kept: { readonly requestId: string; readonly answer: string },
  ) => Promise<IdempotencyEntry | undefined>;
  /**
   * Deletes claims that expired before `now`; returns their number. Unanswered claims of running runs stay. An expired
   * claim of a closed run is not returned and does not hold its key, erased or not.
   */
  readonly eraseExpired: (now: number) => Promise<number>;
}

type IdempotencyOperations = {
  readonly keepAnswer: readonly [
    tenant: string,
    path: string,
    key: string,
    tag: string,
    requestId: string,
    now: number,
    expiresAt: number,
    answer: string,
    nonce: Uint8Array,
  ];
  readonly eraseExpired: readonly [now: number, limit: number];
};

const schema: TableSchema = {
  1: `CREATE TABLE idempotency(
    tenant TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, body_sha256 TEXT NOT NULL, run_id TEXT NOT NULL,
    answer BLOB, expires_at INTEGER NOT NULL, PRIMARY KEY (tenant, path, key)
  ) STRICT;
  CREATE INDEX idempotency_run ON idempotency(run_id);
  CREATE INDEX idempotency_expiry ON idempotency(expires_at);`,
};

// Claims erased in one transaction: some milliseconds of the writer's time.
const ERASE_ROWS = 1000;

/** Claims in the writer's thread, for runs and for answers that belong to no run. */
export interface ClaimRows {
  /** The claim that holds the key at this time; null: the key is free, though an expired claim may be there. */
  readonly taken: (tenant: string, path: string, key: string, now: number) => RowResult;
  readonly drop: StatementSync;
  readonly insert: StatementSync;
  /** Encrypts an answer under the claim of a run; does nothing for a run without a claim. */
  readonly storeAnswer: (runId: string, tenant: string, answer: string, nonce: Uint8Array) => void;
  /** Drops the claim of a run; changes nothing for a run without a claim. */
  readonly dropOfRun: StatementSync;
}

export function claimRows({ prepare, dataKey }: WriterParts): ClaimRows {
  const claim = prepare(
    `SELECT body_sha256, run_id, answer, expires_at,
       EXISTS (SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id) AS running
     FROM idempotency WHERE tenant = ? AND path = ? AND key = ?`,
  );
  const claimOfRun = prepare('SELECT path, key FROM idempotency WHERE run_id = ? AND tenant = ?');
  const putAnswer = prepare('UPDATE idempotency SET answer = ? WHERE run_id = ? AND tenant = ?');
  return {
    taken: (tenant, path, key, now) => {
      const row = claim.get(tenant, path, key);
      if (row === undefined) return null;
      const over = integerOf(row, 'expires_at') <= now && integerOf(row, 'running') === 0;
      return over ? null : ['taken', textOf(row, 'body_sha256'), textOf(row, 'run_id'), optionalBlobOf(row, 'answer')];
    },
    drop: prepare('DELETE FROM idempotency WHERE tenant = ? AND path = ? AND key = ?'),
    insert: prepare(
      'INSERT INTO idempotency(tenant, path, key, body_sha256, run_id, answer, expires_at) VALUES (?, ?, ?, ?, ?, NULL, ?)',
    ),
    dropOfRun: prepare('DELETE FROM idempotency WHERE run_id = ? AND tenant = ?'),
    storeAnswer: (runId, tenant, answer, nonce) => {
      const row = claimOfRun.get(runId, tenant);
      if (row === undefined) return;
      const place = { tenant, path: textOf(row, 'path'), key: textOf(row, 'key') };
      putAnswer.run(sealAnswer(answer, place, dataKey, nonce), runId, tenant);
    },
  };
}

function idempotencyWriters(parts: WriterParts): Writers<IdempotencyOperations> {
  const claims = claimRows(parts);
  const erase = parts.prepare(
    `DELETE FROM idempotency WHERE rowid IN (
       SELECT rowid FROM idempotency WHERE expires_at < ? AND (answer IS NOT NULL OR NOT EXISTS (
         SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id))
       LIMIT ?)`,
  );
  return {
    // Claim and answer are written together: no run lies between them.
    keepAnswer: (...columns) => {
      const [tenant, path, key, tag, requestId, now, expiresAt, answer, nonce] = columns;
      if (![now, expiresAt].every(Number.isSafeInteger)) return refused('a time is no whole number of milliseconds');
      const taken = claims.taken(tenant, path, key, now);
      if (taken !== null) return taken;
      claims.drop.run(tenant, path, key); // an expired claim
      claims.insert.run(tenant, path, key, tag, requestId, expiresAt);
      claims.storeAnswer(requestId, tenant, answer, nonce);
      return null;
    },
    eraseExpired: (now, limit) => Number(erase.run(now, limit).changes),
  };
}

/** Random bytes for the encryption of an answer: a copy, because the pool that they stand in is not sent with them. */
export const nonceOf = (random: TableParts<never>['random']): Uint8Array => Uint8Array.from(random(NONCE_BYTES));

const open = (sealed: Uint8Array | null, place: AnswerPlace, dataKey: Uint8Array): string | undefined =>
  sealed === null ? undefined : openAnswer(sealed, place, dataKey);

/** A request's claim with its tenant. */
export type PlacedClaim = AnswerPlace & Pick<IdempotencyClaim, 'bodySha256'>;

/** What the row of a claim keeps of the body. */
export const tagOf = (claim: PlacedClaim, dataKey: Uint8Array): string => bodyTag(claim.bodySha256, claim, dataKey);

/** Rows of earlier builds hold the digest of the body itself, for the 24 hours that they live. */
const isOfBody = (stored: string, claim: PlacedClaim, dataKey: Uint8Array): boolean =>
  stored === tagOf(claim, dataKey) || stored === claim.bodySha256;

/** The entry under a key that is in use. @throws LedgerError the answer was sealed with another data key */
export function entryOf(result: RowResult, claim: PlacedClaim, dataKey: Uint8Array): IdempotencyEntry {
  if (result === null || typeof result === 'number' || result[0] !== 'taken') throw unexpected(result);
  const [, stored, runId, sealed] = result;
  try {
    return { isSameBody: isOfBody(stored, claim, dataKey), runId, answer: open(sealed, claim, dataKey) };
  } catch (error) {
    throw ledgerError(error);
  }
}

function idempotencyPort(parts: TableParts<RowOf<IdempotencyOperations>>): IdempotencyPort {
  const { prepare, read, write, now, random, dataKey } = parts;
  const claim = prepare(
    `SELECT body_sha256, run_id, answer FROM idempotency WHERE tenant = ? AND path = ? AND key = ? AND (expires_at > ?
       OR EXISTS (SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id))`,
  );
  return {
    idempotent: (tenant, asked) =>
      read(() => {
        const placed = { tenant, ...asked };
        const row = claim.get(tenant, asked.path, asked.key, now());
        if (row === undefined) return undefined;
        const answer = open(optionalBlobOf(row, 'answer'), placed, dataKey);
        const isSameBody = isOfBody(textOf(row, 'body_sha256'), placed, dataKey);
        return { isSameBody, runId: textOf(row, 'run_id'), answer };
      }),
    keepAnswer: async (tenant, claimed, { requestId, answer }) => {
      const { path, key, expiresAt } = claimed;
      const placed = { tenant, ...claimed };
      const tag = tagOf(placed, dataKey);
      const row = [tenant, path, key, tag, requestId, now(), expiresAt, answer, nonceOf(random)] as const;
      const result = await write(['keepAnswer', ...row]);
      return result === null ? undefined : entryOf(result, placed, dataKey);
    },
    eraseExpired: async (before) => {
      let erased = 0;
      for (;;) {
        const count = numberOf(await write(['eraseExpired', before, ERASE_ROWS]));
        erased += count;
        if (count < ERASE_ROWS) return erased;
      }
    },
  };
}

export const idempotencyTable = { schema, port: idempotencyPort, writers: idempotencyWriters };
