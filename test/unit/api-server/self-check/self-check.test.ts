import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { nodeEncoding } from '../../../../adapters/keys/primitives.ts';
import { SelfCheck, startCheckThread, type SelfCheckOptions } from '../../../../api-server/self-check/self-check.ts';
import { crashing, recorded, silent, warm } from '../../../support/check-threads.ts';
import { threadOf } from '../../../../adapters/threads/start-thread.ts';
import { signJws } from '../../../../core/receipt/jws.ts';
import { receiptKey } from '../../../support/a-runtime.ts';

const jws = signJws('{"a":1}', 'orb-receipt+jws', receiptKey.signer, nodeEncoding);
const other = generateKeyPairSync('ed25519').publicKey;

const bad = jws.slice(0, -4);
/** Every third is bad. */
const mixed = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index % 3 === 1 ? bad : jws));
const verdictsOf = (count: number): readonly boolean[] => mixed(count).map((one) => one === jws);

describe('SelfCheck (trust.md §1.5)', () => {
  it('is good for what the published key signed', async () => {
    const check = new SelfCheck(receiptKey.publicKey);
    expect([await check.check(jws), check.failed]).to.deep.equal([true, false]);
  });

  const malformed: readonly [string, string][] = [
    ['a changed payload', jws.replace('.eyJhIjox', '.eyJhIjoy')],
    ['a cut signature', jws.slice(0, -4)],
    ['no signature', jws.slice(0, jws.lastIndexOf('.') + 1)],
    ['no JWS at all', ''],
  ];
  for (const [why, given] of malformed) {
    it(`remembers for ever that it saw ${why}`, async () => {
      const check = new SelfCheck(receiptKey.publicKey);
      expect([await check.check(given), check.failed]).to.deep.equal([false, true]);
      expect([await check.check(jws), check.failed]).to.deep.equal([true, true]);
    });
  }

  it('holds a foreign receipt that does not verify against nobody', async () => {
    const check = new SelfCheck(other);
    expect([await check.verifies(jws), check.failed]).to.deep.equal([false, false]);
  });

  it('answers each of many without a thread', async () => {
    const check = new SelfCheck(receiptKey.publicKey);
    expect(await Promise.all(mixed(50).map((one) => check.verifies(one)))).to.deep.equal(verdictsOf(50));
  });
});

describe('SelfCheck with its thread', function suite() {
  this.timeout(20_000);
  const checks: SelfCheck[] = [];
  const open = (options: SelfCheckOptions): SelfCheck => {
    const check = new SelfCheck(receiptKey.publicKey, options);
    checks.push(check);
    return check;
  };
  afterEach(async () => {
    for (const check of checks.splice(0)) await check.close();
  });

  it('finds a bad signature at every position of a batch, and remembers it', async () => {
    const thread = recorded(startCheckThread);
    for (let position = 0; position < 8; position += 1) {
      const check = open({ start: thread.start });
      await warm(check, thread, jws);
      const batch = Array.from({ length: 8 }, (_, index) => (index === position ? bad : jws));
      const verdicts = await Promise.all(batch.map((one) => check.check(one)));
      expect(verdicts).to.deep.equal(batch.map((one) => one === jws));
      expect([thread.posted.at(-1), check.failed]).to.deep.equal([8, true]);
      await check.close();
    }
  });

  it('takes all that came up while it was busy as one batch, of 128 at most', async () => {
    const thread = recorded(startCheckThread);
    const check = open({ start: thread.start });
    await warm(check, thread, jws);
    thread.posted.length = 0;
    expect(await Promise.all(mixed(300).map((one) => check.verifies(one)))).to.deep.equal(verdictsOf(300));
    expect(thread.posted).to.deep.equal([128, 128, 44]);
  });

  it('is not asked about a receipt that comes up alone', async () => {
    const thread = recorded(startCheckThread);
    const check = open({ start: thread.start });
    await warm(check, thread, jws);
    thread.posted.length = 0;
    expect([await check.verifies(jws), await check.verifies(bad)]).to.deep.equal([true, false]);
    expect(thread.posted).to.deep.equal([]);
  });

  it('gives a verdict for each when it crashes, says so, and is started anew three times', async () => {
    const crashes: unknown[] = [];
    const thread = crashing();
    const check = open({ start: thread.start, onCrash: (cause) => crashes.push(cause) });
    for (let round = 0; round < 6; round += 1) {
      if (round < 3) await warm(check, thread, jws);
      expect(await Promise.all(mixed(20).map((one) => check.verifies(one)))).to.deep.equal(verdictsOf(20));
    }
    expect([crashes.length, thread.started()]).to.deep.equal([3, 3]);
  });

  it('is done without where it can not be started', async () => {
    let crashes = 0;
    const check = open({
      start: threadOf(new URL('./missing.ts', import.meta.url), {}),
      onCrash: () => (crashes += 1),
    });
    for (let round = 1; round <= 4; round += 1) {
      expect(await Promise.all(mixed(20).map((one) => check.verifies(one)))).to.deep.equal(verdictsOf(20));
      while (crashes < Math.min(round, 3)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(crashes).to.equal(3);
  });

  it('checks here what waits when it is closed, and what comes later', async () => {
    const thread = recorded(startCheckThread);
    const check = open({ start: thread.start });
    await warm(check, thread, jws);
    const all = Promise.all(mixed(200).map((one) => check.verifies(one)));
    await new Promise((resolve) => setImmediate(resolve));
    await check.close();
    expect(await all).to.deep.equal(verdictsOf(200));
    thread.posted.length = 0;
    expect(await Promise.all(mixed(4).map((one) => check.verifies(one)))).to.deep.equal(verdictsOf(4));
    expect(thread.posted).to.deep.equal([]);
  });

  it('lets no more than 4096 wait for it: further ones are checked at once', async () => {
    const check = open({ start: silent });
    await Promise.all([check.verifies(jws), check.verifies(jws)]);
    await new Promise((resolve) => setImmediate(resolve));
    let answered = 0;
    const ask = (): void => void check.verifies(jws).then(() => (answered += 1));
    for (let index = 0; index < 128; index += 1) ask();
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let index = 0; index < 4096; index += 1) ask();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(answered).to.equal(0);
    expect(await check.verifies(bad)).to.equal(false);
  });
});
