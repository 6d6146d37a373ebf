import { expect } from 'chai';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import { aRecord, changed } from './a-record.ts';

type Path = readonly (string | number)[];

const accepts = (path: Path, to: JsonValue | undefined): boolean => {
  const value = changed(aRecord(), path, to);
  return isJsonObject(value) && isReceiptRecord(value);
};

/** Every member, however deep. */
function membersOf(value: JsonValue, at: Path = []): readonly Path[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...at, name], ...membersOf(member, [...at, name])]);
}

const ATTEMPT = { provider: 'main', outcome: 'timeout', http_status: null, duration_ms: 0 };
const ID = '01a1f866-0dfa-7001-8000-000000001eef';

describe('isReceiptRecord', () => {
  it('demands every member at every level', () => {
    const paths = [...membersOf(aRecord()), ['execution', 'attempts', 0, 'provider'], ['checks', 0, 'weight']];
    expect(paths.filter((path) => accepts(path, undefined))).to.deep.equal([]);
    expect(paths.length).to.be.greaterThan(40);
  });

  it('refuses another member at every level', () => {
    const objects: readonly Path[] = [
      [],
      ['orb'],
      ['execution'],
      ['execution', 'attempts', 0],
      ['caller'],
      ['input'],
      ['output'],
      ['policy'],
      ['checks', 0],
    ];
    expect(objects.filter((path) => accepts([...path, 'more'], 1))).to.deep.equal([]);
  });

  it('takes null only where it is stated', () => {
    const nullable = membersOf(aRecord()).filter((path) => accepts(path, null));
    expect(nullable.map((path) => path.join('.'))).to.have.members(['output', 'parent_receipt_id']);
    expect(accepts(['execution', 'attempts', 0, 'http_status'], null)).to.equal(true);
  });

  const good: readonly (readonly [why: string, path: Path, to: JsonValue])[] = [
    ['a parent', ['parent_receipt_id'], `rcpt_${ID}`],
    ['16 attempts', ['execution', 'attempts'], Array.from({ length: 16 }, () => ATTEMPT)],
    ['no attempt', ['execution', 'attempts'], []],
    ['status 599', ['execution', 'attempts', 0, 'http_status'], 599],
    ['a prerelease with build metadata', ['orb', 'id'], 'a.B-1.c_d@1.0.0-rc.1+build.5'],
    ['a violation', ['policy', 'violations'], [{ rule: 'r', severity: 'critical' }]],
    ['the largest SLO', ['execution', 'slo_ms'], 120_000],
    ['score 0', ['trust_score'], 0],
  ];
  for (const [why, path, to] of good) it(`accepts ${why}`, () => expect(accepts(path, to)).to.equal(true));

  const bad: readonly (readonly [why: string, path: Path, to: JsonValue])[] = [
    ['the schema of another issuer', ['schema'], 'https://other.example/schemas/receipt/v1'],
    ['another version of the schema', ['schema'], 'https://orbs.example/schemas/receipt/v2'],
    ['a receipt id with the prefix of a run', ['receipt_id'], `run_${ID}`],
    ['a UUID of another version', ['receipt_id'], `rcpt_${ID.replace('-7', '-4')}`],
    ['a UUID of another variant', ['receipt_id'], `rcpt_${ID.replace('-8', '-c')}`],
    ['an upper-case id', ['receipt_id'], `rcpt_${ID.toUpperCase()}`],
    ['a run id with the prefix of a receipt', ['execution', 'run_id'], `rcpt_${ID}`],
    ['a parent that is a run', ['parent_receipt_id'], `run_${ID}`],
    ['a time that does not exist', ['issued_at'], '2026-02-30T00:00:00.000Z'],
    ['a time without milliseconds', ['execution', 'started_at'], '2026-02-20T00:00:00Z'],
    ['an Orb id without version', ['orb', 'id'], 'acme.echo'],
    ['an Orb id without org', ['orb', 'id'], 'echo@1.0.0'],
    ['a version with a leading zero', ['orb', 'id'], 'acme.echo@01.0.0'],
    ['a version of two numbers', ['orb', 'id'], 'acme.echo@1.0'],
    ['an upper-case org', ['orb', 'id'], 'Acme.echo@1.0.0'],
    ['a digest without algorithm', ['orb', 'manifest_digest'], '0'.repeat(64)],
    ['an outcome that does not exist', ['execution', 'outcome'], 'maybe'],
    ['another closer', ['execution', 'closed_by'], 'operator'],
    ['a negative duration', ['execution', 'duration_ms'], -1],
    ['no SLO', ['execution', 'slo_ms'], 0],
    ['an SLO above two minutes', ['execution', 'slo_ms'], 120_001],
    ['17 attempts', ['execution', 'attempts'], Array.from({ length: 17 }, () => ATTEMPT)],
    ['attempts that are no list', ['execution', 'attempts'], { 0: ATTEMPT }],
    ['status 99', ['execution', 'attempts', 0, 'http_status'], 99],
    ['status 600', ['execution', 'attempts', 0, 'http_status'], 600],
    ['an outcome of a run as that of an attempt', ['execution', 'attempts', 0, 'outcome'], 'orb_error'],
    ['a tag of 15 digits', ['caller', 'tag'], `ct_${'0'.repeat(15)}`],
    ['a truthy number for a boolean', ['caller', 'self'], 1],
    ['a size that is no integer', ['input', 'size_bytes'], 0.5],
    ['a decision that does not exist', ['policy', 'decision'], 'audit'],
    ['a severity that does not exist', ['policy', 'violations'], [{ rule: 'r', severity: 'none' }]],
    ['another weight', ['checks', 0, 'weight'], 21],
    ['a result that does not exist', ['checks', 0, 'result'], 'skipped'],
    ['another check', ['checks', 0, 'id'], 'policy'],
    [
      'checks in another order',
      ['checks'],
      aRecord()
        .checks.toReversed()
        .map((check) => ({ ...check })),
    ],
    [
      'seven checks',
      ['checks'],
      aRecord()
        .checks.slice(1)
        .map((check) => ({ ...check })),
    ],
    ['nine checks', ['checks', 8], { id: 'standing', weight: 10, result: 'pass' }],
    ['score 101', ['trust_score'], 101],
    ['a score below zero', ['trust_score'], -1],
    ['a score as text', ['trust_score'], '100'],
    ['a level that does not exist', ['risk_level'], 'none'],
    ['another scoring', ['scoring'], 'orb-trust/2'],
  ];
  for (const [why, path, to] of bad) it(`refuses ${why}`, () => expect(accepts(path, to)).to.equal(false));

  it('refuses an issuer with a path, port zero or another scheme, the schema with it', () => {
    const issuers = [
      'https://orbs.example/x',
      'https://orbs.example:0',
      'http://orbs.example',
      'https://',
      'orbs.example',
    ];
    const taken = issuers.filter((issuer) => {
      const value = changed(changed(aRecord(), ['issuer'], issuer), ['schema'], `${issuer}/schemas/receipt/v1`);
      return isJsonObject(value) && isReceiptRecord(value);
    });
    expect(taken).to.deep.equal([]);
  });
});
