import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ledger, ReceiptPage, ReceiptQuery, StoredReceipt } from '../../../adapters/ledger/port.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { RUN_OUTCOMES, type RunOutcome } from '../../../core/receipt/record.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import {
  cursorParameter,
  foreignCursor,
  isCursor,
  isOrbIdText,
  pageAt,
  present,
  queryParameter,
} from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader, type Query } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { receiptListSchema } from './receipt-schemas.ts';
import { recordOf, summaryOf } from '../../run/receipt-summary.ts';
import type { ReceiptVerifier } from './verify-stored.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** A signature costs about 0.1 ms: other work gets a turn every millisecond or two. */
const VERIFIED_AT_ONCE = 10;

const OUTCOMES: ReadonlySet<string> = new Set(RUN_OUTCOMES);
const isOutcome = (text: string): text is RunOutcome => OUTCOMES.has(text);

const parameters: readonly Parameter[] = [
  queryParameter('limit', `Receipts on a page; default ${DEFAULT_LIMIT}.`, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
  }),
  cursorParameter(),
  queryParameter('orb_id', 'Of this Orb.', shapes.orbId),
  queryParameter('outcome', 'With this outcome.', shapes.outcome),
  queryParameter('since', 'Issued at this time or later (UTC).', { type: 'string' }),
  queryParameter('until', 'Issued before this time (UTC).', { type: 'string' }),
  namespaceParameter,
];

function queryOf(request: RouteRequest): Query<ReceiptQuery> {
  const reader = new QueryReader(
    request.query,
    parameters.map(({ name }) => name),
  );
  const limit = reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const filters = {
    cursor: reader.text('cursor', isCursor, 'a next_cursor as it was given'),
    orbId: reader.text('orb_id', isOrbIdText, '{org}.{name}@{semver}'),
    outcome: reader.text('outcome', isOutcome, [...OUTCOMES].join(', ')),
    since: reader.time('since'),
    until: reader.time('until'),
  };
  return reader.result({ limit, ...present(filters) });
}

async function itemOf(stored: StoredReceipt, verifier: Pick<ReceiptVerifier, 'isSigned'>): Promise<JsonObject> {
  const signed = await verifier.isSigned(stored.jws);
  return { ...summaryOf(stored, recordOf(stored.jws), signed), orb_id: stored.orbId, outcome: stored.outcome };
}

async function answer(page: ReceiptPage, verifier: Pick<ReceiptVerifier, 'isSigned'>): Promise<Reply> {
  const items: JsonObject[] = [];
  for (const stored of page.items) {
    if (items.length % VERIFIED_AT_ONCE === VERIFIED_AT_ONCE - 1) await nextTurn();
    items.push(await itemOf(stored, verifier));
  }
  return json({ items, next_cursor: page.nextCursor }, { 'cache-control': 'private, no-cache' });
}

/** `GET /receipts` (trust.md §1.6): the tenant's own, newest first. Every signature is verified before it is sent. */
export function receiptListRoute(ledger: Pick<Ledger, 'receipts'>, verifier: Pick<ReceiptVerifier, 'isSigned'>): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const query = queryOf(request);
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const page = await pageAt(query.value, (asked) => ledger.receipts(choice.tenant, asked));
    return page ? answer(page, verifier) : foreignCursor(request);
  };
  return {
    method: 'get',
    path: '/receipts',
    scope: 'receipts:read',
    handle,
    operation: {
      operationId: 'listReceipts',
      summary: 'Receipts of the tenant, newest first',
      tags: ['runtime'],
      parameters,
      responses: {
        '200': { description: 'One page.', content: { 'application/json': { schema: receiptListSchema } } },
      },
      problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}
