import { expect } from 'chai';
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import {
  parseRunSeed,
  recordOf,
  type RecordContext,
  type RunEnding,
  type RunSeed,
} from '../../../../core/run/record.ts';
import { EMPTY_POLICY } from '../../../../core/run/policy-record.ts';
import { digestOf } from '../../../../core/json/digest.ts';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import { scoreOfRecord } from '../../../../core/trust/score.ts';

const seed: RunSeed = {
  run_id: 'run_01a1f866-0d00-7001-8000-000000001eef',
  tenant: 'acme',
  orb_id: 'acme.echo@1.2.0',
  orb_namespace: 'acme',
  manifest_digest: `sha256:${'a'.repeat(64)}`,
  irreversible: true,
  slo_ms: 500,
  self: true,
  manifest: 'pass',
  standing: 'fail',
  anonymous: false,
  has_inputs: true,
  has_outputs: true,
  input: { commitment: `sha256:${'b'.repeat(64)}`, media_type: 'application/json', size_bytes: 13 },
  started_at: 1_795_168_800_000,
};

const ending = (change: Partial<RunEnding> = {}): RunEnding => ({
  outcome: 'success',
  closedBy: 'runtime',
  finishedAt: seed.started_at + 212,
  durationMs: 212,
  attempts: [{ provider: 'main', outcome: 'success', http_status: 200, duration_ms: 209 }],
  output: null,
  caller: 'valid',
  outputsComplete: false,
  exception: false,
  clockStepped: false,
  ...change,
});

const context: RecordContext = {
  issuer: 'https://orbs.example',
  receiptId: 'rcpt_01a1f866-0dfa-7001-8000-000000001eef',
  issuedAt: seed.started_at + 250,
  callerTag: 'ct_d3f1fb9e5032ff8e',
};

const parsed = (value: unknown): JsonObject => {
  const again: unknown = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(again)) throw new TypeError('no object');
  return again;
};

describe('recordOf (trust.md §1.1)', () => {
  it('makes a record of the closed schema whose score follows from its checks', () => {
    const record = recordOf(seed, ending(), context);
    expect(isReceiptRecord(parsed(record))).to.equal(true);
    expect(scoreOfRecord(record)).to.deep.equal({ trust_score: record.trust_score, risk_level: record.risk_level });
    // 100 less output_schema (15) and standing (10); irreversible below 85: one level up.
    expect([record.trust_score, record.risk_level]).to.deep.equal([75, 'high']);
  });

  it('raises the risk to that of the worst violation', () => {
    const record = { ...EMPTY_POLICY.record, violations: [{ rule: 'r', severity: 'critical' as const }] };
    const policy = { ...EMPTY_POLICY, record };
    expect(recordOf({ ...seed, policy }, ending(), context).risk_level).to.equal('critical');
  });

  it('says what policies decided: at the start, and again when they decided about the answer', () => {
    const atStart = {
      record: { ...EMPTY_POLICY.record, set_digest: `sha256:${'1'.repeat(64)}` },
      check: 'unknown',
    } as const;
    const started = recordOf({ ...seed, policy: atStart }, ending(), context);
    expect([started.policy, started.checks.find(({ id }) => id === 'policy')?.result]).to.deep.equal([
      atStart.record,
      'unknown',
    ]);
    const atEnd = { record: { ...atStart.record, decision: 'deny' }, check: 'fail' } as const;
    const ended = recordOf({ ...seed, policy: atStart }, ending({ outcome: 'policy_denied', policy: atEnd }), context);
    expect(ended.policy.decision).to.equal('deny');
    expect(ended.checks.find(({ id }) => id === 'policy')?.result).to.equal('fail');
  });

  it('reports nothing for the tenant but the tag', () => {
    const text = JSON.stringify(
      recordOf({ ...seed, tenant: 'the-tenant', orb_namespace: 'the-place' }, ending(), context),
    );
    expect(text).to.not.match(/the-tenant|the-place/);
  });
});

describe('EMPTY_POLICY', () => {
  it('names the digest of an empty set', () => {
    const digest = digestOf(new TextEncoder().encode('[]'), sha256);
    expect([EMPTY_POLICY.record.set_digest, EMPTY_POLICY.record.facts_digest]).to.deep.equal([digest, digest]);
  });
});

describe('parseRunSeed', () => {
  it('reads back what was written', () => {
    expect(parseRunSeed(parsed(seed))).to.deep.equal(seed);
  });

  it('reads back what policies decided', () => {
    const violations = [{ rule: 'acme/limits/cap', severity: 'high' }] as const;
    const policy = { record: { ...EMPTY_POLICY.record, violations }, check: 'unknown' } as const;
    expect(parseRunSeed(parsed({ ...seed, policy }))).to.deep.equal({ ...seed, policy });
  });

  for (const [why, policy] of [
    ['is no object', 'allow'],
    ['has no record', { check: 'pass' }],
    ['has an unknown check', { record: EMPTY_POLICY.record, check: 'maybe' }],
    ['has an unknown decision', { record: { ...EMPTY_POLICY.record, decision: 'perhaps' }, check: 'pass' }],
    [
      'has a violation of unknown severity',
      { record: { ...EMPTY_POLICY.record, violations: [{ rule: 'r', severity: 'bad' }] }, check: 'pass' },
    ],
  ] as const) {
    it(`refuses a seed whose policy ${why}: a receipt would say something else than what was decided`, () => {
      expect(parseRunSeed(parsed({ ...seed, policy }))).to.equal(undefined);
    });
  }

  it('refuses a seed with any member missing or of another type', () => {
    const needed = Object.keys(seed).filter((name) => name !== 'manifest' && name !== 'standing');
    for (const name of needed) {
      const without = Object.fromEntries(Object.entries(parsed(seed)).filter(([other]) => other !== name));
      expect([name, parseRunSeed(without)]).to.deep.equal([name, undefined]);
      expect([name, parseRunSeed({ ...parsed(seed), [name]: [] })]).to.deep.equal([name, undefined]);
    }
  });

  it('reads a seed from before there were publications', () => {
    const { manifest: _manifest, standing: _standing, ...older } = parsed(seed);
    expect(parseRunSeed(older)).to.deep.equal({ ...seed, manifest: 'pass', standing: 'fail' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(seed), 'x'), fc.jsonValue()), (value) => {
        const read = parseRunSeed(parsed(value));
        if (read !== undefined) expect(read.input).to.include.keys('commitment');
      }),
    );
  });
});
