import { ed25519Verify, sha256 } from '../../../adapters/keys/primitives.ts';
import type { Route } from '../../http/route.ts';
import { receiptProblems } from '../../problems/receipts.ts';
import { receiptListRoute } from './list-route.ts';
import { receiptRoutes } from './receipt-routes.ts';
import { createReceiptVerifier } from './verify-stored.ts';
import type { Service, ServiceParts } from '../service.ts';

function routes({ keys, ledger, clock }: ServiceParts): readonly Route[] {
  const verifier = createReceiptVerifier(keys.document, { sha256, ed25519Verify, now: clock.now });
  const { keysJws } = keys;
  return [...receiptRoutes({ ledger, verifier, clock, keysJws }), receiptListRoute(ledger, verifier)];
}

/** Receipts of runs and swaps, and their proofs. */
export const receiptService: Service = {
  name: 'receipts',
  group: 'runtime',
  routes,
  scopes: ['receipts:read'],
  problems: receiptProblems,
  schemas: {},
};
