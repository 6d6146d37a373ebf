import { randomBytes } from 'node:crypto';
import { Replays, type ReplaysDeps } from '../../api-server/replays/replays.ts';
import type { Runtime } from '../../api-server/runtime/runtime.ts';
import type { ReplayJob, ReplayProgress } from '../../adapters/replay-worker/port.ts';
import { ReplayDesk, type RunSource } from '../../adapters/replay-worker/replay-desk.ts';
import { policySources } from '../../api-server/replays/policy-sources.ts';
import type { Catalog } from '../../adapters/catalog/port.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { receiptKey } from './a-runtime.ts';

/** The keys that verify the receipts of `createTestRuntime`. */
const testKeys = (): KeysDocument => ({
  schema: 'https://orbs.example/schemas/keys/v1',
  issuer: 'https://orbs.example',
  log_origin: 'orbs.example/log',
  sequence: 1,
  issued_at: '2026-01-01T00:00:00.000Z',
  keys: [
    {
      kid: receiptKey.signer.kid,
      jwk: { crv: 'Ed25519', kty: 'OKP', x: receiptKey.publicKey.export({ format: 'jwk' }).x ?? '' },
      role: 'receipt',
      status: 'active',
      not_before: '2026-01-01T00:00:00.000Z',
      not_after: null,
      revoked_at: null,
      revoked_log_index: null,
      reason: null,
    },
  ],
});

/** A replay of all receipts of tenant `acme` with the policies in force. */
export function aReplayJob(
  set: PolicySet,
  catalog: Pick<Catalog, 'orbisets'>,
  change: Partial<ReplayJob> = {},
): ReplayJob {
  const orbisets = catalog.orbisets('acme').map(({ fullName, policies }) => [fullName, policies] as const);
  return {
    tenant: 'acme',
    from: 0,
    until: Number.MAX_SAFE_INTEGER,
    filter: { orbIds: [], orbisets: [] },
    sample: { percent: 100, seed: 1 },
    baseline: 'recorded',
    stateful: 'both',
    candidate: policySources(set),
    current: policySources(set),
    orbisets: Object.fromEntries(orbisets),
    keys: testKeys(),
    now: Date.parse('2026-11-20T12:00:00Z'),
    ...change,
  };
}

/** No step takes time, so each is a whole chunk. */
const STANDS_STILL = { monotonic: (): number => 0 };

/** Replays on this thread, to its end. @returns the last progress, with the changes of all */
export async function replayed(source: RunSource, job: ReplayJob): Promise<ReplayProgress> {
  const desk = new ReplayDesk(source, job, STANDS_STILL);
  const changes: string[] = [];
  for (;;) {
    const progress = await desk.step();
    changes.push(...progress.changes);
    if (progress.isDone) return { ...progress, changes };
  }
}

/** Replays on this thread, chunk by chunk, in place of a thread. */
export const replayHere = (source: RunSource): ReplaysDeps['runner'] => ({
  run: async (job, onProgress, signal) => {
    const desk = new ReplayDesk(source, job, STANDS_STILL);
    for (let isDone = false; !isDone;) {
      signal.throwIfAborted();
      const progress = await desk.step();
      await onProgress(progress);
      ({ isDone } = progress);
    }
    signal.throwIfAborted();
  },
});

/** What replays did beside the ledger. */
export interface Observed {
  /** `ended completed`, `mismatched 1`, `replayed acme/limits`; nothing for 0. */
  readonly said: string[];
  /** Called after each completed replay. */
  readonly completed?: () => void;
}

const silent = (): void => undefined;

/** The replays of a process, on this thread unless `change` says otherwise. */
export function someReplays(
  { ledger, clock, catalog, sealing, issuer }: Pick<Runtime, 'ledger' | 'clock' | 'catalog' | 'sealing' | 'issuer'>,
  change: Partial<ReplaysDeps> = {},
  { said, completed }: Observed = { said: [] },
): Replays {
  return new Replays({
    ledger,
    clock,
    catalog,
    sealing,
    issuer,
    keys: testKeys(),
    runner: replayHere(ledger),
    owner: 'test',
    random: (bytes) => randomBytes(bytes),
    logger: { info: silent, warn: silent, error: silent },
    counters: {
      ended: (end) => void said.push(`ended ${end}`),
      evaluated: silent,
      mismatched: (receipts) => void (receipts > 0 && said.push(`mismatched ${receipts}`)),
    },
    replayed: async (namespace, name) => {
      said.push(`replayed ${namespace}/${name}`);
      completed?.();
    },
    ...change,
  });
}
