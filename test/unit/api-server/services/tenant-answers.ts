import { jsonOf } from '../../../support/suites.ts';

/** Who asks: the columns of the table, in this order. */
export const COLUMNS = [
  'no key',
  'key without the scope',
  'key of another tenant',
  'key of the owner',
  'key of several tenants',
  'admin by the key of a tenant',
  'platform admin',
] as const;

export type Column = (typeof COLUMNS)[number];

/** `200`, or `404 orb-not-found`; one for each column. */
export type Answers = Readonly<Record<Column, string>>;

/** A request that everybody sends. */
export interface Row {
  readonly path: string;
  readonly body?: unknown;
  readonly answers: Answers;
}

export const [NO_KEY, FORBIDDEN] = ['401 unauthenticated', '403 forbidden'];
const [ANYBODY, NO_SCOPE] = ['200', FORBIDDEN];

/** Answers by column: without a right; foreign, owner, several tenants; admins. */
export const answersOf = (
  [noKey, noScope]: readonly [string, string],
  [foreign, owner, several]: readonly [string, string, string],
  [tenantAdmin, platform]: readonly [string, string],
): Answers => ({
  'no key': noKey,
  'key without the scope': noScope,
  'key of another tenant': foreign,
  'key of the owner': owner,
  'key of several tenants': several,
  'admin by the key of a tenant': tenantAdmin,
  'platform admin': platform,
});

/** Without a key, and without the scope. */
export const REFUSED = [NO_KEY, NO_SCOPE] as const;
/** Everybody gets the same answer, also without a key. */
export const everybody = (answer = ANYBODY): Answers =>
  answersOf([answer, answer], [answer, answer, answer], [answer, answer]);
/** The same answer for every key that has the scope. */
export const everyKey = (answer: string): Answers => answersOf(REFUSED, [answer, answer, answer], [answer, answer]);
/** What belongs to a tenant is not there for another one (security.md S13). */
export const ofOwner = (own: string, missing: string, several: string): Answers =>
  answersOf(REFUSED, [missing, own, several], [own, missing]);
/** `admin` counts in the platform namespace alone (security.md §6.2). */
export const ofPlatform = (answer: string): Answers =>
  answersOf(REFUSED, [NO_SCOPE, NO_SCOPE, NO_SCOPE], [FORBIDDEN, answer]);

/** One request without a body. */
export const get = (path: string, answers = everybody()): readonly Row[] => [{ path, answers }];
/** A request with a JSON body. */
export const post = (path: string, body: unknown, answers: Answers): Row => ({ path, body: jsonOf(body), answers });
