import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { sealSwap } from '../../../../core/receipt/swap-seal.ts';
import { replayEvidence } from '../../../../core/failover/replay-evidence.ts';
import type { Verification } from '../../../../core/verify/verdict.ts';
import { verifyBundle, type Replay, type VerifyOptions } from '../../../../core/verify/verify.ts';
import { aSwapReceipt } from '../../../support/a-swap.ts';
import { sha256Hex } from '../../../../hack/vectors/primitives.ts';
import { aBundle, aSwapBundle, bytesOf, INDEX, keys, primitives, root, type SwapChanges } from './a-world.ts';
import { header, revoked } from './changes.ts';

// Ten minutes after the swap.
const then = { ...primitives, now: () => Date.parse('2026-11-20T10:41:30.900Z') };
const verified = (changes: SwapChanges = {}, options: VerifyOptions = {}): Promise<Verification> =>
  verifyBundle(bytesOf(aSwapBundle(changes)), root, options, then);
const replay: Replay = ({ evidence, swap }) => replayEvidence(evidence, swap);
const revokedAt = (index: number) => {
  const { document } = revoked(index);
  return document === undefined ? {} : { document };
};

describe('verifyBundle of a swap receipt', () => {
  const good: readonly (readonly [why: string, changes: SwapChanges, options: VerifyOptions])[] = [
    ['the public form of its entry', {}, {}],
    ['the private form of its entry', { privateForm: true }, {}],
    ['an age that is allowed', {}, { maxAgeMs: 600_000 }],
    ['a revoked key, logged before its revocation', revokedAt(INDEX + 1), {}],
    ['a decision that follows from its evidence', {}, { replay }],
    ['no evidence', { record: (record) => ({ ...record, evidence: null }) }, { replay }],
  ];
  for (const [why, changes, options] of good) {
    it(`accepts ${why}`, async () => {
      const { code, exit, signatureValid, signed } = await verified(changes, options);
      expect({ code, exit, signatureValid }).to.deep.equal({ code: 'ok', exit: 0, signatureValid: true });
      expect(signed?.kind).to.equal('swap');
    });
  }

  const liar: SwapChanges = {
    record: (record) => ({ ...record, swap: { ...record.swap, from: 'mailgun', to: 'sendgrid' } }),
  };
  const bad: readonly (readonly [why: string, code: string, changes: SwapChanges, options?: VerifyOptions])[] = [
    ['the key of a stranger', 'unknown_key', { signer: keys.stranger }],
    ['the key of the log', 'unknown_key', { signer: keys.log }],
    ['a further member', 'schema', { payload: (record) => ({ ...record, more: 1 }) }],
    ['a fraction', 'profile', { payload: (record) => ({ ...record, more: 1.5 }) }],
    ['another issuer', 'issuer', { record: (record) => ({ ...record, ...ofIssuer('https://other.example') }) }],
    ['an age beyond the limit', 'too_old', {}, { maxAgeMs: 599_999 }],
    ['a revoked key, logged after its revocation', 'key_revoked', revokedAt(INDEX)],
    ['a decision that does not follow', 'decision_mismatch', liar, { replay }],
    [
      'a time before its key',
      'key_window',
      { record: (record) => ({ ...record, issued_at: '2026-10-31T23:59:59.999Z' }) },
    ],
  ];
  for (const [why, code, changes, options] of bad) {
    it(`refuses ${why}: ${code}`, async () => expect((await verified(changes, options)).code).to.equal(code));
  }

  it('asks nobody whether a decision follows unless it is told to', async () => {
    const { code, checks, explanation } = await verified(liar);
    expect([code, explanation]).to.deep.equal(['ok', undefined]);
    expect(checks.map(({ id }) => id)).not.to.include('decision');
  });

  it('says what the decision that was made again gave, or that there was no evidence for it', async () => {
    const made = await verified({}, { replay: () => ({ follows: true, why: 'latency' }) });
    expect(made.explanation).to.deep.equal({ kind: 'replayed', follows: true, why: 'latency' });
    expect(made.checks.find(({ id }) => id === 'decision')).to.deep.equal({ id: 'decision', ok: true });
    const unmade = await verified({ record: (record) => ({ ...record, evidence: null }) }, { replay });
    expect(unmade.explanation).to.deep.equal({ kind: 'no-evidence' });
    expect(unmade.checks.find(({ id }) => id === 'decision')).to.deep.equal({ id: 'decision', ok: null });
  });

  it('makes neither the check of a score nor that of openings', async () => {
    const opening = { salt: new Uint8Array(16), value: { json: 1 } };
    const { checks } = await verified({}, { openings: { input: opening } });
    const unmade = checks.filter(({ ok }) => ok === null).map(({ id }) => id);
    expect(unmade).to.deep.equal(['score', 'openings', 'age']);
  });

  it('refuses the record of a run under the type of a swap, and the other way round', async () => {
    const asSwap = aSwapBundle({ payload: () => payloadOf(aBundle()) });
    expect((await verifyBundle(bytesOf(asSwap), root, {}, then)).code).to.equal('schema');
    const asRun = header({}).bundle?.({ ...same, ...aSwapBundle() });
    expect((await verifyBundle(bytesOf(asRun ?? {}), root, {}, then)).code).to.equal('schema');
  });

  it('is made by no log entry of another swap', async () => {
    const other = aSwapBundle({ record: (record) => ({ ...record, swap: { ...record.swap, seq: 2 } }) });
    const mixed = { ...aSwapBundle(), tlog_proof: other['tlog_proof'] ?? null };
    expect((await verifyBundle(bytesOf(mixed), root, {}, then)).code).to.equal('inclusion');
  });

  it('never verifies with any one byte changed', async () => {
    const bytes = bytesOf(aSwapBundle());
    const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, to }) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = to;
        expect((await verifyBundle(changed, root, {}, then)).code === 'ok').to.equal(bytes[at] === to);
      }),
    );
  });

  it('takes no key of another role that has the right name', async () => {
    const changes: SwapChanges = {
      document: (document) => ({
        ...document,
        keys: [publishedKey(keys.receipt, 'certificate'), ...document.keys.slice(1)],
      }),
    };
    expect((await verified(changes)).code).to.equal('unknown_key');
  });
});

function ofIssuer(issuer: string) {
  return { issuer, schema: `${issuer}/schemas/swap-receipt/v1` };
}

const same = { format: '', jws: '', tlog_proof: '', keys_jws: '' };

function payloadOf({ jws }: JsonObject): JsonObject {
  const value: unknown =
    typeof jws === 'string'
      ? JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'))
      : undefined;
  if (!isJsonObject(value)) throw new Error('no payload');
  return value;
}

describe('sealSwap', () => {
  const tools = {
    signer: keys.receipt,
    sha256Hex,
    encoding: {
      utf8: (text: string) => Buffer.from(text, 'utf8'),
      base64Url: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url'),
    },
  };

  it('shows names in the log only of what was published', () => {
    const [open, closed] = [true, false].map((isPublished) => sealSwap(aSwapReceipt(), isPublished, tools));
    const digest = Buffer.from(primitives.sha256(Buffer.from(open?.jws ?? ''))).toString('hex');
    expect(JSON.parse(open?.entry ?? '')).to.deep.equal({
      v: 1,
      kind: 'swap',
      orb_id: 'acme.mailer@1.2.0',
      from: 'sendgrid',
      to: 'mailgun',
      reason: 'latency',
      jws_sha256: digest,
      at: '2026-11-20T10:31:30.000Z',
    });
    expect(JSON.parse(closed?.entry ?? '')).to.deep.equal({
      v: 1,
      kind: 'receipt_private',
      receipt_id: aSwapReceipt().receipt_id,
      finished_at: '2026-11-20T10:31:30.000Z',
      jws_sha256: digest,
    });
  });

  it('signs nothing that no verifier would take', () => {
    const { swap } = aSwapReceipt();
    const records = [
      aSwapReceipt({ swap: { ...swap, seq: 0 } }),
      aSwapReceipt({ evaluator: { id: 'e\u0301', instance: 'i', epoch: 1 } }),
    ];
    for (const record of records) expect(() => sealSwap(record, false, tools)).to.throw(TypeError);
  });
});
