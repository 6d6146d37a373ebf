import { createHash } from 'node:crypto';
import { isReceiptId } from '../../../core/receipt/ids.ts';
import { negotiate } from '../../http/accept.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { bundleSchema, receiptSchema, swapReceiptSchema } from './receipt-schemas.ts';
import {
  findReceipt,
  loadReceipt,
  proofOf,
  receiptBundle,
  receiptJson,
  type ReceiptSource,
  type ReceiptView,
} from './receipt-view.ts';

const JSON_TYPE = 'application/json';
const JOSE = 'application/jose';
const BUNDLE = 'application/vnd.orb.bundle+json';
const OFFERED = [JSON_TYPE, JOSE, BUNDLE] as const;
type Offered = (typeof OFFERED)[number];

const GENERAL = { vary: 'Accept', 'cache-control': 'private, no-cache' };

const idParameter: Parameter = {
  name: 'receipt_id',
  in: 'path',
  description: 'As in the execution result.',
  schema: shapes.receiptId,
};

/** Each of the three forms has its own ETag: a validator of one form must not stop another from being sent. */
const SUFFIX: Readonly<Record<Offered, string>> = { [JSON_TYPE]: '', [JOSE]: '-jose', [BUNDLE]: '-bundle' };

/** Includes verdict and code: without them a 304 would hide that the key was revoked. */
function etagOf(view: ReceiptView, type: Offered): string {
  const hash = createHash('sha256').update(view.stored.jws).digest('hex').slice(0, 32);
  const { verdict, code } = view.verification;
  return `W/"${hash}-${view.proof?.treeSize ?? 0}-${verdict}-${code}${SUFFIX[type]}"`;
}

function bodyOf(view: ReceiptView, source: ReceiptSource, type: Offered, query: string): string {
  switch (type) {
    case JSON_TYPE:
      return JSON.stringify(receiptJson(view, source, query));
    case JOSE:
      return view.stored.jws;
    case BUNDLE:
      return JSON.stringify(receiptBundle(view, source));
    default:
      return type satisfies never;
  }
}

/** The tenant of the receipt in the path, and its id when it is well-formed. */
function target(request: RouteRequest): { readonly tenant: string; readonly receiptId: string } | Reply {
  const { receipt_id: receiptId = '' } = request.params;
  const choice = tenantFor(request, 'receipt-not-found');
  if (!choice.ok) return choice.reply;
  return isReceiptId(receiptId) ? { tenant: choice.tenant, receiptId } : problem(request, 'receipt-not-found');
}

function receiptRoute(source: ReceiptSource): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const type = negotiate(request.header('accept'), OFFERED);
    if (type === undefined) {
      return problem(request, 'not-acceptable', {
        detail: `Served: ${OFFERED.join(', ')}.`,
        headers: { vary: 'Accept' },
      });
    }
    const found = target(request);
    if ('status' in found) return found;
    const view = await loadReceipt(source, found.tenant, found.receiptId);
    if (!view) return problem(request, 'receipt-not-found');
    const query = request.query.has('namespace') ? `?namespace=${found.tenant}` : '';
    const body = bodyOf(view, source, type, query);
    const reply = { status: 200, headers: { 'content-type': type, ...GENERAL }, body };
    return conditional(request.header('if-none-match'), etagOf(view, type), reply);
  };
  return {
    method: 'get',
    path: '/receipts/{receipt_id}',
    scope: 'receipts:read',
    handle,
    operation: {
      operationId: 'getReceipt',
      summary: 'A receipt, of a run or of a swap, with its log position, verified now',
      tags: ['runtime'],
      parameters: [idParameter, namespaceParameter],
      responses: {
        '200': {
          description: 'The receipt; as application/jose its JWS, as a bundle all that offline verification needs.',
          headers: { ETag: { description: 'Changes with the verdict.', schema: { type: 'string' } } },
          content: {
            [JSON_TYPE]: { schema: { anyOf: [receiptSchema, swapReceiptSchema] } },
            [JOSE]: { schema: shapes.jws },
            [BUNDLE]: { schema: bundleSchema },
          },
        },
        '304': { description: 'Not changed, verdict included.' },
      },
      problems: ['receipt-not-found', 'not-acceptable', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

function proofRoute(source: ReceiptSource): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const found = target(request);
    if ('status' in found) return found;
    const receipt = await findReceipt(source.ledger, found.tenant, found.receiptId);
    if (!receipt) return problem(request, 'receipt-not-found');
    const proof = await proofOf(source.ledger, receipt.stored.logIndex);
    if (!proof) return problem(request, 'proof-pending');
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-cache' };
    return { status: 200, headers, body: proof.text };
  };
  return {
    method: 'get',
    path: '/receipts/{receipt_id}/proof',
    scope: 'receipts:read',
    handle,
    operation: {
      operationId: 'getReceiptProof',
      summary: 'Inclusion proof against the first checkpoint that covers the receipt',
      tags: ['runtime'],
      parameters: [idParameter, namespaceParameter],
      responses: {
        '200': { description: 'C2SP tlog-proof.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
      problems: ['receipt-not-found', 'proof-pending', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

/** `GET /receipts/{receipt_id}` and its proof (trust.md §1.6). */
export const receiptRoutes = (source: ReceiptSource): readonly Route[] => [receiptRoute(source), proofRoute(source)];
