import { setImmediate as nextTurn } from 'node:timers/promises';
import { Reputation, type ReputationOptions } from '../../api-server/reputation/reputation.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { scoreHere } from '../../adapters/reputation-worker/score-here.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { nodeEncoding, sha256Hex } from '../../adapters/keys/primitives.ts';
import { receiptKey } from './a-runtime.ts';

/** What a test sets instead. */
export type ReputationChange = Partial<ReputationOptions>;

/** @returns publishing, scores and certificates over a ledger; no test report is good, and no name has a record */
export const aReputation = (ledger: Ledger, clock: Clock, change: ReputationChange = {}): Reputation =>
  new Reputation({
    ledger,
    clock,
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
      child: () => {
        throw new Error('no child is asked for');
      },
      flush: () => Promise.resolve(),
    },
    issuer: 'https://orbs.example',
    logOrigin: 'orbs.example/log',
    holder: 'test',
    platformNamespace: 'orb-system',
    certificates: { signer: receiptKey.signer, sha256Hex, encoding: nodeEncoding },
    random: (bytes) => new Uint8Array(bytes),
    resolveTxt: () => Promise.reject(new Error('no record')),
    allowedOrigins: [],
    operator: { orgs: new Map(), firstComes: true },
    checkTests: () => Promise.resolve({ findings: [], summary: null, audit: undefined, accepted: undefined }),
    longTurn: nextTurn,
    counters: { published: () => undefined, evaluated: () => undefined },
    intervalMs: 1000,
    scorer: scoreHere(ledger),
    ...change,
  });
