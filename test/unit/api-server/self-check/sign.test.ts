import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { nodeEncoding, sha256Hex } from '../../../../adapters/keys/primitives.ts';
import { SelfCheck, startCheckThread, type SelfCheckOptions } from '../../../../api-server/self-check/self-check.ts';
import type { FromCheckThread } from '../../../../api-server/self-check/check-thread.ts';
import type { Signed } from '../../../../api-server/self-check/sign-and-check.ts';
import { signInput, signingInput, signJws } from '../../../../core/receipt/jws.ts';
import { receiptKey } from '../../../support/a-runtime.ts';
import { crashing, recorded, silent, warm } from '../../../support/check-threads.ts';

const { signer, publicKey, privateKey } = receiptKey;
const jws = signJws('{"a":1}', 'orb-receipt+jws', signer, nodeEncoding);
const otherKey = generateKeyPairSync('ed25519').privateKey;
/** The thread signs what comes up behind so many. */
const BEHIND = 16;

const inputs = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => signingInput(`{"a":${index}}`, 'orb-receipt+jws', signer, nodeEncoding));
/** What the thread must answer: the signatures of Ed25519 are the same every time. */
function expected(input: string): Signed {
  const whole = signInput(input, signer, nodeEncoding);
  return { signature: whole.slice(input.length + 1), jwsSha256: sha256Hex(whole), fits: true };
}

const checksOf = (check: SelfCheck, count: number): Promise<readonly boolean[]> =>
  Promise.all(Array.from({ length: count }, () => check.verifies(jws)));

describe('SelfCheck that signs', function suite() {
  this.timeout(20_000);
  const checks: SelfCheck[] = [];
  const open = (options: SelfCheckOptions = {}): SelfCheck => {
    const check = new SelfCheck(publicKey, { signingKey: privateKey, ...options });
    checks.push(check);
    return check;
  };
  afterEach(async () => {
    for (const check of checks.splice(0)) await check.close();
  });

  /** Ready, with work. */
  async function busy(options: SelfCheckOptions = {}): Promise<SelfCheck> {
    const thread = recorded(startCheckThread);
    const check = open({ start: thread.start, ...options });
    await warm(check, thread, jws);
    return check;
  }

  it('signs what comes up behind others, as a signature here would be', async () => {
    const check = await busy();
    const ahead = checksOf(check, BEHIND);
    const signed = await Promise.all(inputs(300).map((input) => check.sign(input)));
    expect(signed).to.deep.equal(inputs(300).map(expected));
    expect(await ahead).to.not.include(false);
    expect(check.failed).to.equal(false);
  });

  it('signs none that comes up behind fewer', async () => {
    const check = await busy();
    const ahead = checksOf(check, BEHIND - 1);
    expect(await check.sign(jws)).to.equal(undefined);
    expect(await ahead).to.not.include(false);
    expect(await check.sign(jws)).to.equal(undefined);
  });

  it('counts what the thread has already', async () => {
    const check = await busy();
    const ahead = checksOf(check, BEHIND);
    await new Promise((resolve) => setImmediate(resolve));
    const [input = ''] = inputs(1);
    expect(await check.sign(input)).to.deep.equal(expected(input));
    expect(await ahead).to.not.include(false);
  });

  it('remembers for ever a signature that the published key does not fit', async () => {
    const check = await busy({ signingKey: otherKey });
    const ahead = checksOf(check, BEHIND);
    const signed = await Promise.all(inputs(8).map((input) => check.sign(input)));
    expect(signed.map((one) => one?.fits)).to.deep.equal(Array.from({ length: 8 }, () => false));
    expect(await ahead).to.not.include(false);
    expect(check.failed).to.equal(true);
  });

  it('remembers a bad signature at every position of a batch', async () => {
    for (let position = 0; position < 8; position += 1) {
      const check = open({
        start: ({ onMessage }) => ({
          post: (message) => {
            if (message[0] === 'keys') return void setImmediate(() => onMessage({ signed: [], fits: [] }));
            const signed = message[1].map((input, index) => ({ ...expected(input), fits: index !== position }));
            return void setImmediate(() => onMessage({ signed, fits: message[2].map(() => true) }));
          },
          ended: Promise.resolve(),
          terminate: () => Promise.resolve(),
        }),
      });
      await checksOf(check, 2);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const ahead = checksOf(check, BEHIND);
      const signed = await Promise.all(inputs(8).map((input) => check.sign(input)));
      expect(signed.map((one) => one?.fits)).to.deep.equal(inputs(8).map((_, index) => index !== position));
      expect([await ahead, check.failed].flat()).to.deep.equal([...Array.from({ length: BEHIND }, () => true), true]);
    }
  });

  it('leaves all to this thread without a key, without a thread, and before that is ready', async () => {
    const thread = recorded(startCheckThread);
    const keyless = new SelfCheck(publicKey, { start: thread.start });
    checks.push(keyless);
    await warm(keyless, thread, jws);
    for (const check of [keyless, open(), open({ start: startCheckThread })]) {
      const ahead = checksOf(check, BEHIND);
      expect(await Promise.all(inputs(3).map((input) => check.sign(input)))).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ]);
      expect(await ahead).to.not.include(false);
    }
  });

  it('leaves to this thread what waits when the thread crashes or is closed', async () => {
    const thread = crashing();
    const crashed = open({ start: thread.start });
    await warm(crashed, thread, jws);
    const closed = await busy();
    for (const check of [crashed, closed]) {
      const ahead = checksOf(check, BEHIND);
      const signed = Promise.all(inputs(200).map((input) => check.sign(input)));
      await new Promise((resolve) => setImmediate(resolve));
      if (check === closed) await check.close();
      expect((await signed).filter((one) => one === undefined)).to.have.length.greaterThan(0);
      expect((await signed).filter((one) => one?.fits === false)).to.deep.equal([]);
      expect(await ahead).to.not.include(false);
      expect(check.failed).to.equal(false);
    }
  });

  /** What came of 4 receipts behind others, where a thread that has loaded answers a batch as `answer` says. */
  async function withAnswer(
    answer: (inputs: readonly string[], tell: (results: FromCheckThread) => void, end: () => void) => void,
    options: SelfCheckOptions = {},
  ): Promise<readonly [signed: readonly (Signed | undefined)[], ahead: readonly boolean[], failed: boolean]> {
    const check = open({
      ...options,
      start: ({ onMessage, onEnd }) => ({
        post: (message) => {
          const [kind] = message;
          if (kind === 'keys') setImmediate(() => onMessage({ signed: [], fits: [] }));
          else answer(message[1], onMessage, () => onEnd(undefined));
        },
        ended: Promise.resolve(),
        terminate: () => Promise.resolve(onEnd(undefined)),
      }),
    });
    await checksOf(check, 2);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const ahead = checksOf(check, BEHIND);
    const signed = await Promise.all(inputs(4).map((input) => check.sign(input)));
    return [signed, await ahead, check.failed];
  }
  const NONE = Array.from({ length: 4 }, () => undefined);
  const ALL_FIT = Array.from({ length: BEHIND }, () => true);

  it('takes an answer that lacks something for none: it holds against no receipt', async () => {
    const result = await withAnswer((_inputs, tell) => void setImmediate(() => tell({ signed: [], fits: [] })));
    expect(result).to.deep.equal([NONE, ALL_FIT, false]);
  });

  it('takes a thread that does not answer for a crashed one', async () => {
    let crashes = 0;
    const result = await withAnswer(() => undefined, { batchMs: 20, onCrash: () => (crashes += 1) });
    expect(result).to.deep.equal([NONE, ALL_FIT, false]);
    expect(crashes).to.equal(1);
  });

  it('lets no more than 4096 wait', async () => {
    const check = open({ start: silent });
    void checksOf(check, 2);
    await new Promise((resolve) => setImmediate(resolve));
    for (let index = 0; index < 4096 + 128; index += 1) void check.verifies(jws);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await check.sign(jws)).to.equal(undefined);
  });
});
