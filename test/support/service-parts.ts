import { anIntake } from './an-intake.ts';
import { SourceIndex } from '../../api-server/ingestion/source-index.ts';
import { someReplays } from './replays.ts';
import { aStatus } from './a-status.ts';
import type { ServiceParts } from '../../api-server/services/service.ts';
import { aReputation } from './a-reputation.ts';
import { createTestRuntime } from './a-runtime.ts';
import { DRAFTS_HERE } from './drafts.ts';
import { openSqliteFixture } from './sqlite-ledger.ts';
import { vectorKeys } from './vector-receipts.ts';

const unasked = (): Promise<never> => Promise.reject(new Error('only the descriptions of the routes are looked at'));

/** The parts that the real list of services needs for its routes, for tests of the routes' descriptions. */
export async function serviceParts(): Promise<{ readonly parts: ServiceParts; readonly close: () => Promise<void> }> {
  const { ledger, clock, dispose } = await openSqliteFixture();
  const { runtime } = createTestRuntime({ ledger, clock });
  const pins = { set: unasked, remove: unasked };
  const parts = {
    version: '1.0.0',
    clock,
    ledger,
    keys: vectorKeys,
    runtime,
    reputation: aReputation(ledger, clock),
    sources: new SourceIndex(),
    intake: anIntake().intake,
    replays: someReplays(runtime),
    drafts: DRAFTS_HERE,
    status: aStatus({ ledger, clock }),
    missing: () => [],
    pins,
    policyObjects: { read: unasked, list: unasked, create: unasked, replace: unasked, remove: unasked },
    lastEvaluation: unasked,
  };
  return { parts, close: dispose };
}
