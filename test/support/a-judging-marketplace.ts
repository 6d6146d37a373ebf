import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { textAt } from './members.ts';
import { expect } from 'chai';
import { ed25519Verify, nodeEncoding, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { createCheckTests } from '../../api-server/reputation/check-tests.ts';
import { serviceRoutes } from '../../api-server/services/services.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { SelfCheck } from '../../api-server/self-check/self-check.ts';
import { readEntry } from '../../core/log-entry/entry.ts';
import { sealReceipt } from '../../core/receipt/seal.ts';
import { doCaseWork } from '../../core/suite/case-work.ts';
import type { CitedReceipt } from '../../core/test-report/judge-receipts.ts';
import type { JudgeTools } from '../../core/test-report/judge-report.ts';
import { receiptKey } from './a-runtime.ts';
import { aReputation } from './a-reputation.ts';
import { startApp, type Called } from './api-app.ts';
import { aPublisher } from './a-marketplace.ts';
import { serviceParts } from './service-parts.ts';
import { aFinish, aStart } from './ledger-rows.ts';
import { anOrg, aPublication, statusEntry } from './reputation-rows.ts';
import { openSqliteFixture } from './sqlite-ledger.ts';
import { NOW, receipt, RECEIPT } from './test-reports.ts';

/** Id of a receipt of other bytes of the same Orb. */
export const OTHER_BYTES = 'rcpt_019339a1-8000-7000-8000-000000000003';

/** Id of a receipt that fits like `RECEIPT`, and that was erased. */
export const ERASED = 'rcpt_019339a1-8000-7000-8000-000000000004';

/**
 * A marketplace that judges reports as the real one does, at `NOW`. The tenant `acme` owns `acme` and, unproven by now,
 * `initech`; `globex` belongs to another. `acme.old@1.0.0` is published, `acme.gone@1.0.0` was yanked. The ledger has the
 * receipts `RECEIPT` and `OTHER_BYTES`.
 */
export interface JudgingMarketplace {
  readonly ledger: Ledger;
  /** Sends a request to the whole API. Nothing but log entries may be written. @returns also the kinds of new entries */
  readonly send: (
    method: string,
    path: string,
    sent: Sent,
  ) => Promise<readonly [answer: Called, kinds: readonly string[]]>;
  readonly close: () => Promise<void>;
}

interface Sent {
  /** By default a publisher of `acme`. */
  readonly caller?: Caller;
  /** A text is sent as it is. */
  readonly content?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `CODE POINTER` of each error of a problem, or `CODE PARAMETER`. */
export const errorsOf = ({ value }: Called): readonly string[] => {
  const errors = isJsonObject(value) ? value['errors'] : undefined;
  if (!Array.isArray(errors)) return [];
  return errors
    .filter(isJsonObject)
    .map((error) => `${textAt(error, 'code')} ${textAt(error, 'pointer' in error ? 'pointer' : 'parameter')}`);
};

async function store(ledger: Ledger, number: number, receiptId: string, cited: CitedReceipt): Promise<void> {
  if (cited.kind === 'missing') return;
  const tools = { signer: receiptKey.signer, sha256Hex, encoding: nodeEncoding };
  const { jws } = sealReceipt({ ...cited.record, receipt_id: receiptId }, tools);
  await ledger.recordRun(aStart(number), aFinish(number, {}, { receiptId, jws }));
}

async function fill(ledger: Ledger): Promise<void> {
  await store(ledger, 1, RECEIPT, receipt());
  await store(ledger, 2, OTHER_BYTES, receipt({ orb: { manifest_digest: `sha256:${'1'.repeat(64)}` } }));
  await store(ledger, 3, ERASED, receipt());
  await ledger.putOrg(anOrg({ org: 'globex', namespace: 'team-g' }), null, []);
  await ledger.putOrg(anOrg({ org: 'initech', state: 'unverified' }), null, []);
  await ledger.publish(aPublication({ orbId: 'acme.old@1.0.0' }));
  const gone = 'acme.gone@1.0.0';
  await ledger.publish(aPublication({ orbId: gone, claim: null, entries: aPublication({ orbId: gone }).entries }));
  await ledger.setOrbStatus({
    orbId: gone,
    from: 'active',
    to: 'yanked',
    reason: 'broken',
    entries: [statusEntry('yanked', gone)],
    revoke: null,
  });
}

/** Erases the row of a receipt; its log entry stays. */
function erase(file: string, receiptId: string): void {
  const db = new DatabaseSync(file);
  const { changes } = db.prepare('DELETE FROM receipts WHERE receipt_id = ?').run(receiptId);
  db.close();
  expect(changes).to.equal(1);
}

/** @param runCases where the cases of suites run; by default on this thread */
export async function aJudgingMarketplace(
  runCases: JudgeTools['runCases'] = async (work) => ({ kind: 'done', result: doCaseWork(work) }),
): Promise<JudgingMarketplace> {
  const { ledger, clock, options, dispose } = await openSqliteFixture();
  await clock.advance(NOW - clock.now());
  await fill(ledger);
  erase(options.file, ERASED);
  const selfCheck = new SelfCheck(receiptKey.publicKey);
  const checkTests = createCheckTests({
    ledger,
    clock,
    certificates: { signer: receiptKey.signer, sha256Hex, encoding: nodeEncoding },
    allowedOrigins: [],
    runCases: (work) => runCases(work),
    isSigned: (jws) => selfCheck.verifies(jws),
    primitives: { sha256, ed25519Verify },
    longTurn: nextTurn,
  });
  const reputation = aReputation(ledger, clock, { checkTests });
  await reputation.open();
  const { listings } = reputation;
  const other = await serviceParts();
  const routes = serviceRoutes({ ...other.parts, ledger, reputation, clock });
  /** Everything that a request could have written beside entries of the log. */
  const written = async (): Promise<unknown> => [
    await ledger.publications(0),
    await ledger.orgs(0),
    await ledger.evaluations(0),
    await ledger.nextStatusIndex(),
    [...listings.all()],
    await ledger.testReport('acme.echo@1.0.0'),
    await ledger.testReport('acme.old@1.0.0'),
    await ledger.orgClaim('acrne', 'acme'),
  ];
  return {
    ledger,
    send: async (method, path, { caller = aPublisher(), content, headers = {} }) => {
      const [size, before] = [await ledger.logSize(), await written()];
      const app = await startApp(routes, { caller });
      const body = typeof content === 'string' ? content : JSON.stringify(content);
      const withBody = { headers: { 'content-type': 'application/json', ...headers }, body };
      const answer = await app.call(method, path, content === undefined ? { headers } : withBody);
      await app.close();
      await listings.refresh();
      expect(await written()).to.deep.equal(before);
      const entries = await ledger.entries(size, size + 99);
      return [answer, entries.map((text) => readEntry(text)?.kind ?? 'none')];
    },
    close: async () => {
      await other.close();
      await dispose();
    },
  };
}
