import { parseOrbId } from '../../core/manifest/orb-id.ts';
import type { Parameter } from './operation.ts';
import { problem } from './problem.ts';
import type { Reply, RouteRequest } from './route.ts';

const CURSOR = /^[A-Za-z0-9_.~=:@+-]{1,512}$/;

/** A cursor of any list; whether it is of this one is found out by the ledger. */
export const isCursor = (text: string): text is string => CURSOR.test(text);

export const isOrbIdText = (text: string): text is string => parseOrbId(text).ok;

/** A parameter of a query. */
export const queryParameter = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

/** `cursor` of a list. @param form of its cursors, when they have one of their own */
export const cursorParameter = (form: RegExp = CURSOR): Parameter =>
  queryParameter('cursor', 'next_cursor of the page before.', { type: 'string', pattern: form.source });

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops members that are undefined: ports accept only absent ones. */
export function present<T extends object>(some: T): Defined<T>;
export function present(some: object): object {
  return Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined));
}

/** @returns undefined: the cursor of the query does not come from this ledger. @throws Error what `read` throws otherwise */
export async function pageAt<Query extends { readonly cursor?: string }, Page>(
  query: Query,
  read: (query: Query) => Promise<Page>,
): Promise<Page | undefined> {
  try {
    return await read(query);
  } catch (error) {
    if (error instanceof RangeError && query.cursor !== undefined) return undefined;
    throw error;
  }
}

/** The answer to a cursor of something else. */
export const foreignCursor = (request: Pick<RouteRequest, 'requestId'>): Reply =>
  problem(request, 'invalid-parameter', {
    errors: [
      {
        parameter: 'cursor',
        code: 'cursor-unknown',
        detail: 'Give a next_cursor of an earlier page, unchanged.',
      },
    ],
  });
