import { expect } from 'chai';
import { jcs } from '../../../../../core/json/jcs.ts';
import { member } from '../../../../../core/json/members.ts';
import { laterFacts, orbFacts, responseFacts } from '../../../../../core/policy/facts/build-facts.ts';
import { factsDigest, isSnapshotOf, SALT_BYTES, takeSnapshot } from '../../../../../core/policy/facts/snapshot.ts';
import { someFacts, someRequestFacts, STARTED_AT } from '../../../../support/policies.ts';

const at = (facts: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => member(value, name), facts);

const ORB = {
  orbId: 'acme.mail.sender@1.2.0-rc.1',
  manifestDigest: 'sha256:x',
  labels: {},
  irreversible: false,
  hosts: [],
  providers: [],
  published: undefined,
};

describe('facts', () => {
  it('of an Orb without publication are those of an uncertified one', () => {
    expect(orbFacts(ORB, STARTED_AT)).to.deep.equal({
      orb_id: 'acme.mail.sender@1.2.0-rc.1',
      org: 'acme',
      name: 'mail.sender',
      version: '1.2.0-rc.1',
      manifest_digest: 'sha256:x',
      labels: {},
      tier: 'uncertified',
      tier_rank: 0,
      score: 0,
      confidence: 'provisional',
      publisher_verified: false,
      irreversible: false,
      hosts: [],
      providers: [],
    });
  });

  it('count the age in UTC days', () => {
    const published = { tier: 'gold', score: 90, confidence: 'high', publisherVerified: true } as const;
    const ageAt = (now: string, then: string): unknown =>
      orbFacts({ ...ORB, published: { ...published, at: Date.parse(then) } }, Date.parse(now))['age_days'];
    expect(ageAt('2026-11-20T00:00:00Z', '2026-11-19T23:59:59Z')).to.equal(1);
    expect(ageAt('2026-11-20T23:59:59Z', '2026-11-20T00:00:00Z')).to.equal(0);
    expect(ageAt('2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z')).to.equal(0);
  });

  const caller = { kind: 'api_key', id: 'key:k1', scopes: [], groups: [], runsToday: undefined } as const;
  const rows: readonly (readonly [string, Parameters<typeof someFacts>[0], string, unknown])[] = [
    ['a count that could not be read', { caller }, 'caller.runs_today', undefined],
    [
      'a list that is too long',
      { caller: { ...caller, groups: Array.from({ length: 65 }, String) } },
      'caller.groups',
      undefined,
    ],
    ['a text that is too long', { caller: { ...caller, id: 'k'.repeat(321) } }, 'caller.id', undefined],
    ['half a surrogate pair', { caller: { ...caller, id: '\u{d800}' } }, 'caller.id', undefined],
    ['the tenant', {}, 'caller.tenant', 'acme'],
    ['the paths of inputs', {}, 'request.fields', ['amount', 'user.name']],
    ['256 paths', { inputs: manyInputs(256) }, 'request.fields.length', 256],
    ['more paths', { inputs: manyInputs(257) }, 'request.fields', undefined],
    ['an input that nobody declares', {}, 'inputs', undefined],
    ['a whole number', { inputNames: ['amount'] }, 'inputs.amount', 12],
    ['a fraction', { inputs: { amount: 0.5 }, inputNames: ['amount'] }, 'inputs.amount', '0.5'],
    ['an object', { inputNames: ['user'] }, 'inputs', undefined],
    ['a text of 1 KiB', { inputs: { a: 'x'.repeat(1024) }, inputNames: ['a'] }, 'inputs.a', 'x'.repeat(1024)],
    ['a longer text', { inputs: { a: 'x'.repeat(1025) }, inputNames: ['a'] }, 'inputs', undefined],
    ['an inherited name', { inputs: {}, inputNames: ['toString'] }, 'inputs', undefined],
  ];
  for (const [what, input, path, value] of rows)
    it(`have ${value === undefined ? 'no' : 'a'} ${path} for ${what}`, () => {
      const facts = someFacts(input);
      const [root = '', name = '', last] = path.split('.');
      const found = last === 'length' ? at(facts, `${root}.${name}`) : at(facts, path);
      expect(last === 'length' && Array.isArray(found) ? found.length : found).to.deep.equal(value);
    });

  it('of a later phase keep those before it, and leave them as they were', () => {
    const before = someFacts();
    const text = jcs(before);
    const request = someRequestFacts();
    expect(at(request, 'request.fields')).to.deep.equal(['amount', 'user.name']);
    expect(at(request, 'request.host')).to.equal('mail.example');
    const added = responseFacts({ status: 200, bodyBytes: 2, durationMs: 1.6, contentType: '', headerNames: [] });
    const response = laterFacts(request, added);
    expect(at(response, 'response.duration_ms')).to.equal(2);
    expect(at(response, 'request.host')).to.equal('mail.example');
    expect(jcs(before)).to.equal(text);
  });
});

function manyInputs(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`i${index}`, index]));
}

describe('a snapshot of facts', () => {
  const salt = new Uint8Array(SALT_BYTES).fill(7);
  const snapshot = takeSnapshot('PreFlight', null, jcs(someFacts()), salt);

  it('is proved by its digest, its salt and every byte', () => {
    expect(isSnapshotOf(snapshot.facts, salt, snapshot.digest)).to.equal(true);
    expect(isSnapshotOf(snapshot.facts.replace('70', '71'), salt, snapshot.digest)).to.equal(false);
    expect(isSnapshotOf(snapshot.facts, new Uint8Array(16), snapshot.digest)).to.equal(false);
  });

  it('refuses a salt of another length', () => {
    expect(() => takeSnapshot('PreFlight', null, '{}', new Uint8Array(15))).to.throw(RangeError);
  });

  it('gives the receipt the digest of the empty array without policies', () => {
    expect(factsDigest([])).to.equal('sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945');
    expect(factsDigest([snapshot])).to.not.equal(factsDigest([{ ...snapshot, provider: 'mail' }]));
  });
});
