import { setImmediate as nextTurn } from 'node:timers/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { ed25519Verify, nodeEncoding, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import type { CaseRunner } from '../../adapters/suite-worker/case-runner.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { createCheckTests } from '../../api-server/reputation/check-tests.ts';
import { publishRoute } from '../../api-server/services/marketplace/publish-route.ts';
import { listAt } from '../../core/json/members.ts';
import { startApp } from './api-app.ts';
import { aPublisher } from './a-marketplace.ts';
import { aReputation } from './a-reputation.ts';
import { receiptKey } from './a-runtime.ts';
import { at } from './members.ts';
import { jsonOf } from './suites.ts';

const RESOLUTION_MS = 2;

/** The answer to a publication, and what it cost the others. */
export interface Answered {
  /** Status and problem code. */
  readonly said: string;
  /** Code and pointer of each error. */
  readonly errors: readonly string[];
  readonly retryAfter: string | null;
  /** Longest time without a turn of the event loop. */
  readonly loopMs: number;
}

export interface PublishingApp {
  readonly publish: (body: string) => Promise<Answered>;
  readonly close: () => Promise<void>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Publishes, and measures how long the event loop of this process stands still meanwhile. */
async function publish(port: number, body: string): Promise<Answered> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const response = await fetch(`http://127.0.0.1:${port}/marketplace/orbs/publish`, {
    method: 'POST',
    headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
    body,
  });
  const value: unknown = await response.json();
  delay.disable();
  const parsed = jsonOf(value);
  const code = textOf(at(parsed, 'code'));
  return {
    said: `${response.status} ${code}`.trim(),
    errors: listAt(parsed, 'errors').map((error) => `${textOf(at(error, 'code'))} ${textOf(at(error, 'pointer'))}`),
    retryAfter: response.headers.get('retry-after'),
    loopMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
  };
}

/** The real pipeline behind its route over HTTP, in this process, with evaluations. The ledger stays open. */
export async function startPublishingApp(ledger: Ledger, cases: CaseRunner): Promise<PublishingApp> {
  const reputation = aReputation(ledger, systemClock, {
    checkTests: createCheckTests({
      ledger,
      clock: systemClock,
      certificates: { signer: receiptKey.signer, sha256Hex, encoding: nodeEncoding },
      allowedOrigins: [],
      isSigned: async () => true,
      primitives: { sha256, ed25519Verify },
      longTurn: nextTurn,
      runCases: cases.run,
    }),
  });
  await reputation.open();
  const over = new AbortController();
  const evaluating = reputation.run(over.signal);
  const app = await startApp([publishRoute(reputation)], { caller: aPublisher(), clock: systemClock });
  return {
    publish: (body) => publish(app.port, body),
    close: async () => {
      over.abort();
      await evaluating;
      await app.close();
    },
  };
}
