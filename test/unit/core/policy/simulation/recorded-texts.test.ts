import { expect } from 'chai';
import { jcs } from '../../../../../core/json/jcs.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { FactsReader, receiptMembers, recordMembers } from '../../../../../core/policy/simulation/recorded-texts.ts';

/** What looks like another member, inside a string. */
const ODD = '},"receipt_id":"x","risk_level":,"policy":{"decision":],"closed_by":},"orbiset":{,"orb":{';

const receipt = (attempts: readonly JsonObject[], provider = ODD): JsonObject => ({
  caller: { self: true, tag: ODD },
  checks: [{ id: 'policy', result: 'pass', weight: 20 }],
  execution: { attempts, closed_by: provider, duration_ms: 1, outcome: 'success' },
  issuer: ODD,
  policy: { decision: 'deny', facts_digest: ODD, set_digest: ODD, violations: [{ rule: ODD, severity: 'low' }] },
  receipt_id: 'rcpt_1',
  risk_level: 'low',
  trust_score: 90,
});

const attempt = { duration_ms: 1, outcome: 'success', provider: ODD };

describe('texts of recorded runs', () => {
  for (const attempts of [[], [attempt], [attempt, attempt]])
    it(`reads of a receipt with ${attempts.length} attempts what a replay needs`, () => {
      const whole = receipt(attempts);
      expect(receiptMembers(jcs(whole))).to.deep.equal({
        execution: { attempts },
        policy: whole['policy'],
        receipt_id: 'rcpt_1',
      });
    });

  it('parses whole what has another form, and nothing of what is no JSON', () => {
    const other = { policy: { decision: 'allow' }, receipt_id: 'rcpt_2' };
    expect(receiptMembers(jcs(other))).to.deep.equal(other);
    expect(receiptMembers(JSON.stringify({ ...receipt([]), execution: 1 }))).to.deep.include({ execution: 1 });
    expect(receiptMembers(jcs(receipt([])).replace('"decision"', '"decision'))).to.equal(undefined);
    expect([receiptMembers(''), receiptMembers('[]')]).to.deep.equal([undefined, undefined]);
  });

  it('reads records that say nothing, and those that do', () => {
    const silent = {
      decision: 'allow',
      default_used: true,
      rules: [],
      denials: [],
      obligations: [],
      exceptions_used: [],
    };
    const read = { default_used: true, denials: [], obligations: [] };
    expect(recordMembers(JSON.stringify(silent))).to.deep.equal(read);
    expect(recordMembers(JSON.stringify({ ...silent, default_used: false }))).to.deep.equal({
      ...read,
      default_used: false,
    });
    const denied = { ...silent, denials: [{ policy: '', code: 'default-deny' }] };
    expect(recordMembers(JSON.stringify(denied))).to.deep.equal(denied);
    expect(recordMembers('{')).to.equal(undefined);
  });

  it('reads facts as they are, and those of one Orb as one object', () => {
    const facts = (runs: number, orb: string): JsonObject => ({
      caller: { id: ODD, runs_today: runs },
      inputs: { recipient: ODD },
      orb: { labels: { orb: ODD, orbiset: ODD }, orb_id: orb },
      orbiset: { labels: { '},"orbiset":{': ODD }, name: 'prod' },
      run: { has_idempotency_key: true },
    });
    const reader = new FactsReader();
    const [one, two, other] = [facts(1, 'a'), facts(2, 'a'), facts(1, ODD)].map((each) => {
      const read = reader.read(jcs(each));
      expect(read).to.deep.equal(each);
      return read;
    });
    expect(one?.['orb']).to.equal(two?.['orb']);
    expect(one?.['orb']).to.not.equal(other?.['orb']);
    for (const text of ['{"request":{"host":"a"}}', '{"orb":{"a":1}}', '{"caller":1,"orb":{},"orbiset":{}}'])
      expect(reader.read(text)).to.deep.equal(JSON.parse(text));
    for (const text of ['', '[]', '{"caller":1,"orb":{},"orbiset":{}', '{"caller":1,"orb":{"a"},"orbiset":{}}'])
      expect(reader.read(text), text).to.equal(undefined);
  });
});
