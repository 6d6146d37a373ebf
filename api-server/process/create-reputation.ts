import { resolveTxt } from '../../adapters/egress/resolve-txt.ts';
import { ed25519Verify, nodeEncoding, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { ScoreRunner } from '../../adapters/reputation-worker/score-runner.ts';
import { CaseRunner } from '../../adapters/suite-worker/case-runner.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import { createReputationCounters, observeReputation } from '../../adapters/telemetry/reputation-metrics.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { LoopTurns } from '../http/loop-turns.ts';
import { createCheckTests } from '../reputation/check-tests.ts';
import { Reputation } from '../reputation/reputation.ts';
import { createReceiptVerifier } from '../services/receipts/verify-stored.ts';
import type { Platform, PlatformOptions } from './platform.ts';

interface ReputationParts {
  readonly ledger: Ledger;
  readonly turns: LoopTurns;
  readonly random: (bytes: number) => Uint8Array;
  readonly document: KeysDocument;
  readonly metrics: Pick<Metrics, 'registry'>;
  /** Path of the ledger's file. */
  readonly ledgerFile: string;
}

/** Publishing, and what it needs alone. */
interface CreatedReputation extends Pick<Platform, 'reputation' | 'certificates'> {
  readonly cases: CaseRunner;
  readonly scores: ScoreRunner;
}

/** Publishing, scores and certificates of one process, and their threads. */
export function createReputation(
  { clock, log, keys, exceptions, runtime, reputation }: PlatformOptions,
  { ledger, turns, random, document, metrics, ledgerFile }: ReputationParts,
): CreatedReputation {
  const certificates: SealTools = { signer: keys.certificate, sha256Hex, encoding: nodeEncoding };
  const cases = new CaseRunner({ most: 1 });
  const scores = new ScoreRunner({
    file: ledgerFile,
    onCrash: (error) => log.logger.error('the thread that computes scores ended; another one is started', { error }),
  });
  const allowedOrigins = exceptions.map(({ origin }) => origin);
  const primitives = { sha256, ed25519Verify };
  const { isSigned } = createReceiptVerifier(document, { ...primitives, now: clock.now });
  const longTurn = (tenant: string): Promise<void> => turns.longTurn({ tenant, key: 'publications' });
  const checking = { ledger, clock, certificates, allowedOrigins, runCases: cases.run, isSigned, primitives, longTurn };
  const created = new Reputation({
    counters: createReputationCounters(metrics.registry),
    ...reputation,
    ledger,
    random,
    certificates,
    clock,
    logger: log.logger,
    issuer: keys.issuer,
    logOrigin: keys.logOrigin,
    platformNamespace: runtime.platformNamespace,
    resolveTxt,
    allowedOrigins,
    checkTests: createCheckTests(checking),
    longTurn,
    scorer: scores,
  });
  observeReputation(metrics.registry, created.metricSources());
  return { reputation: created, certificates, cases, scores };
}
