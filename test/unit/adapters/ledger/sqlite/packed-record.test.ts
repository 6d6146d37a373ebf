import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  faultOfText,
  PACKING,
  packRecord,
  recordSql,
  referTo,
  unpackRecord,
  type FactsColumns,
  type PolicyTexts,
} from '../../../../../adapters/ledger/sqlite/packed-record.ts';
import { HOLE, partsAround, wholeText } from '../../../../../core/json/shared-text.ts';

const NO_TEXTS = (): undefined => undefined;

const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((some) => faultOfText(some, 1_000_000) === undefined);
const facts: fc.Arbitrary<FactsColumns> = fc.tuple(
  fc.constantFrom('PreFlight', 'Request', 'Response'),
  fc.option(text, { nil: null }),
  text,
  fc.base64String(),
  text,
);
const records: fc.Arbitrary<PolicyTexts> = fc.record({
  json: fc.option(text, { nil: null }),
  facts: fc.array(facts, { maxLength: 34 }),
});

/** A decision of an allowed run, and its facts. */
const TYPICAL: PolicyTexts = {
  json: JSON.stringify({
    decision_id: 'dec_0193a1c2-5a61-7c1e-8f00-3b1d9e5a7c11',
    at: '2026-11-20T10:00:00.041Z',
    run_id: 'run_0193a1c2-5a61-7c1e-8f00-9a8b7c6d5e4f',
    orbiset: 'acme.prod',
    orb_id: 'acme.mailer@1.2.0',
    caller: 'key:k7Qp2xZa',
    phase: 'PreFlight',
    provider: null,
    decision: 'allow',
    default_used: true,
    policy_set_digest: 'sha256:62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a',
    engine: 'cel/0.6.1+orb-facts/1',
    facts_schema: 'orb-facts/1',
    facts_digest: 'sha256:c775e7b757ede630cd0aa1113bd102661ab38829ca52a6422ab782862f268646',
    rules: [],
    denials: [],
    obligations: [],
    exceptions_used: [],
    shadow: { decision: 'would_allow', differs: false },
    decided_us: 41,
  }),
  facts: [
    [
      'PreFlight',
      null,
      'orb-facts/1',
      'Xk2vT1m0Q9uYb3s7Zc4dEg==',
      JSON.stringify({
        caller: { groups: [], id: 'key:k7Qp2xZa', kind: 'api_key', runs_today: 117, scopes: [], tenant: 'acme' },
        orb: { age_days: 30, hosts: ['api.mail.example'], irreversible: true, name: 'mailer', tier: 'bronze' },
        request: { fields: ['recipient', 'subject'], input_bytes: 120 },
        run: { has_idempotency_key: false, started_at: '2026-11-20T10:00:00.000Z' },
      }),
    ],
  ],
};

describe('packed record', () => {
  it('gives back what was packed', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(unpackRecord(packRecord(record), PACKING, NO_TEXTS)).to.deep.equal(record);
        expect(unpackRecord(packRecord(record, 1), 1, NO_TEXTS), 'as an earlier program').to.deep.equal(record);
      }),
    );
  });

  it('refers to shared texts, and is damaged without them', () => {
    const json = { shared: `{"decision":"allow","number":${HOLE},"run":${HOLE}}`, own: ['1', '"run_1"'] };
    const record = packRecord({ json: referTo('0a,0b', json.own.join(HOLE)), facts: TYPICAL.facts });
    const partsOf = (ids: string): readonly string[] | undefined =>
      ids === '0a,0b' ? partsAround(json.shared) : undefined;
    expect(unpackRecord(record, PACKING, partsOf)).to.deep.equal({ json: wholeText(json), facts: TYPICAL.facts });
    expect(unpackRecord(record, PACKING, NO_TEXTS)).to.equal(undefined);
    expect(
      unpackRecord(record, PACKING, () => ['one hole', 'only']),
      'another text',
    ).to.equal(undefined);
  });

  it('is read from SQLite as a text when it is one, and as bytes when it is deflated or of another packing', () => {
    const db = new DatabaseSync(':memory:');
    const read = db.prepare(`SELECT ${recordSql('record')} AS packed FROM (SELECT ? AS packing, ? AS record)`);
    const referring = `${referTo('0a', '1')}\0é€😀`;
    const asText = packRecord({ json: referring, facts: [] });
    const rows: readonly (readonly [number, Uint8Array | null, string | Uint8Array | null])[] = [
      [PACKING, asText, `=${referring}`],
      [PACKING, packRecord(TYPICAL), packRecord(TYPICAL)],
      [1, asText, asText],
      [PACKING, new Uint8Array(0), new Uint8Array(0)],
      [PACKING, null, null],
    ];
    for (const [packing, stored, expected] of rows)
      expect(read.get(packing, stored)?.['packed']).to.deep.equal(
        typeof expected === 'object' && expected !== null ? new Uint8Array(expected) : expected,
      );
    expect(unpackRecord(`=${referTo('0a', '1')}`, PACKING, () => ['{"a":', '}'])).to.deep.equal({
      json: '{"a":1}',
      facts: [],
    });
    expect(unpackRecord('=', 1, NO_TEXTS)).to.equal(undefined);
    db.close();
  });

  it('takes a third of the texts of an allowed run', () => {
    const bytes = (TYPICAL.json?.length ?? 0) + TYPICAL.facts.reduce((sum, [, , , , json]) => sum + json.length, 0);
    expect(packRecord(TYPICAL).length).to.be.below(bytes / 3);
  });

  it('keeps its way of packing: a change is another `PACKING`', () => {
    const one = {
      json: '{"decision":"deny","rules":[]}',
      facts: [['PreFlight', null, 'orb-facts/1', 'AA==', '{}']],
    } as const;
    const stored = 'Q0nxsDISlpdwJmtHR1DCrgUA';
    expect(unpackRecord(Buffer.from(stored, 'base64'), 1, NO_TEXTS)).to.deep.equal(one);
    const deflated = Buffer.concat([Buffer.from('z'), Buffer.from(stored, 'base64')]);
    expect(unpackRecord(deflated, 2, NO_TEXTS)).to.deep.equal(one);
    const referring = '=\u00020a\u0001"run_1"\0PreFlight\0\0orb-facts/1\0AA==\0{}';
    expect(unpackRecord(Buffer.from(referring), 2, () => ['{"run":', '}'])).to.deep.equal({
      ...one,
      json: '{"run":"run_1"}',
    });
    expect(unpackRecord(packRecord(one), PACKING + 1, NO_TEXTS), 'of a newer program').to.equal(undefined);
  });

  it('never throws for damaged bytes, and never gives them for the record', () => {
    const whole = packRecord(TYPICAL);
    for (const [at, byte] of whole.entries()) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = byte ^ 0x55;
      expect(unpackRecord(bytes, PACKING, NO_TEXTS), `byte ${at}`).to.not.deep.equal(TYPICAL);
      expect(unpackRecord(whole.subarray(0, at), PACKING, NO_TEXTS), `cut at ${at}`).to.not.deep.equal(TYPICAL);
    }
  });

  it('takes no text that can not stand in it', () => {
    expect(faultOfText('a\0b', 10)).to.match(/U\+0000/);
    expect([faultOfText('éé', 4), faultOfText('ééx', 4)]).to.deep.equal([undefined, faultOfText('xxxxx', 4)]);
    expect(faultOfText('xxxxx', 4)).to.match(/longer than 4 bytes/);
  });
});
