import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { ed25519Verify, sha256Hex } from '../../../../adapters/keys/primitives.ts';
import { SelfCheck, startCheckThread } from '../../../../api-server/self-check/self-check.ts';
import { signAndCheck } from '../../../../api-server/self-check/sign-and-check.ts';
import type { PublishedVersion } from '../../../../core/run/published.ts';
import { parseJws } from '../../../../core/receipt/jws.ts';
import { createTestRuntime, receiptKey, type Executed } from '../../../support/a-runtime.ts';
import { recorded, warm } from '../../../support/check-threads.ts';
import { at, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const RUNS = 200;

function fits(jws: string): boolean {
  const key = Buffer.from(receiptKey.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const parts = parseJws(jws);
  return parts !== undefined && ed25519Verify(key, parts.signature, parts.signingInput);
}

describe('many runs at once, whose receipts the thread signs', function suite() {
  this.timeout(20_000);
  let fixture: SqliteFixture;
  const checks: SelfCheck[] = [];
  beforeEach(async () => {
    fixture = await openSqliteFixture();
  });
  afterEach(async () => {
    for (const check of checks.splice(0)) await check.close();
    await fixture.dispose();
  });

  interface Ran {
    readonly answers: readonly Executed[];
    readonly signedByThread: () => number;
    readonly selfCheck: SelfCheck;
    readonly again: () => Promise<Executed>;
  }

  /** Runs that begin at once. @param signingKey of the thread */
  async function runAll(signingKey: KeyObject): Promise<Ran> {
    const thread = recorded(startCheckThread);
    let signed = 0;
    const selfCheck = new SelfCheck(receiptKey.publicKey, {
      signingKey,
      start: (events) =>
        thread.start({
          ...events,
          onMessage: (results) => {
            signed += results.signed.length;
            events.onMessage(results);
          },
        }),
    });
    checks.push(selfCheck);
    const { execute, runtime } = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      parts: { selfCheck },
    });
    const first = await execute({});
    const stored = await runtime.ledger.receipt('acme', textAt(first.body, 'receipt', 'receipt_id'));
    await warm(selfCheck, thread, stored?.jws ?? '');
    const answers = await Promise.all(Array.from({ length: RUNS }, () => execute({})));
    return { answers, signedByThread: () => signed, selfCheck, again: () => execute({}) };
  }

  const storedJws = async (answer: Executed): Promise<string> => {
    const place = answer.status === 200 ? ['receipt'] : ['run', 'receipt'];
    return (await fixture.ledger.receipt('acme', textAt(answer.body, ...place, 'receipt_id')))?.jws ?? '';
  };

  it('have each a receipt of their own that verifies, and its digest in the log', async () => {
    const { answers, signedByThread, selfCheck } = await runAll(receiptKey.privateKey);
    expect(signedByThread()).to.be.greaterThan(0);
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    const receipts = await Promise.all(answers.map(storedJws));
    expect(new Set(receipts).size).to.equal(RUNS);
    expect(receipts.map(fits)).to.not.include(false);
    expect(selfCheck.failed).to.equal(false);
    const entries = await fixture.ledger.entries(0, RUNS + 1);
    const logged = entries.map((entry) => /"jws_sha256":"([0-9a-f]{64})"/.exec(entry)?.[1]);
    expect(logged).to.include.members(receipts.map((jws) => sha256Hex(jws)));
  });

  it('say of an Orb and its owner what was so when the record was written', async () => {
    let isPublished = false;
    const selfCheck = new SelfCheck(receiptKey.publicKey);
    selfCheck.sign = (input) => {
      isPublished = true; // meanwhile
      return Promise.resolve(signAndCheck(input, receiptKey.signer.sign, { fits }));
    };
    const published = (): PublishedVersion | undefined => {
      const [orb] = runtime.catalog.all();
      const manifestDigest = orb?.compiled?.digest ?? '';
      return isPublished ? { manifestDigest, namespace: 'acme', status: 'active', isCertified: false } : undefined;
    };
    const { execute, runtime } = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      parts: {
        selfCheck,
        published: {
          version: published,
          ownerOf: () => (isPublished ? 'acme' : undefined),
          isFresh: () => true,
        },
      },
    });
    expect((await execute({})).status).to.equal(200);
    const [entry = ''] = (await fixture.ledger.entries(0, 10)).filter((text) => text.includes('jws_sha256'));
    expect(entry).to.not.include('acme.echo');
  });

  it('are answered 500 where the signature does not fit the published key, and no run starts afterwards', async () => {
    const { answers, signedByThread, selfCheck, again } = await runAll(generateKeyPairSync('ed25519').privateKey);
    const good = await Promise.all(answers.filter(({ status }) => status === 200).map(storedJws));
    const bad = answers.filter(({ status }) => status !== 200);
    expect(signedByThread()).to.be.greaterThan(0);
    expect(bad.filter((one) => at(one.body, 'run', 'receipt', 'signature_valid') === false)).to.have.length(
      signedByThread(),
    );
    expect(new Set(bad.map(({ code }) => code))).to.deep.equal(new Set(['signing-misconfigured']));
    expect(good.map(fits)).to.not.include(false);
    expect(selfCheck.failed).to.equal(true);
    const later = await again();
    expect([later.status, later.code, later.body['run']]).to.deep.equal([500, 'signing-misconfigured', undefined]);
  });
});
