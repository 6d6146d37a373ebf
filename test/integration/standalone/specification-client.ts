import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A manifest with every field of spec §2.1, and no other. */
const MANIFEST = {
  orb_id: 'spec.mailer@1.0.0',
  provider: 'mailer',
  description: 'Sends a message.',
  inputs: {
    recipient: { type: 'string', required: true },
    subject: { type: 'string', required: false, default: 'Hello' },
    body: { type: 'string', required: true },
  },
  outputs: { message_id: { type: 'string' } },
  execution: {
    type: 'http',
    method: 'POST',
    url: 'https://api.mailer.example/v1/messages',
    headers: { Authorization: 'Bearer {{orbiset.secrets.MAILER_API_KEY}}', 'Content-Type': 'application/json' },
    body_template: '{"to":"{{inputs.recipient}}","subject":"{{inputs.subject}}","text":"{{inputs.body}}"}',
  },
  swap_config: { primary: 'mailer', fallbacks: ['postman'], strategy: 'latency' },
};

/** The structure of test results is not shown there: this is the smallest one that the platform takes (trust.md §8.4). */
function testResults(): object {
  const digest = createHash('sha256')
    .update(canonicalize(MANIFEST) ?? '')
    .digest('hex');
  const stop = Date.now();
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: 'client' },
      summary: { tests: 1, passed: 1, failed: 0, skipped: 0, pending: 0, other: 0, start: stop - 1000, stop },
      tests: [{ id: randomUUID(), name: 'sends', status: 'passed', duration: 5 }],
      extra: { orb: { orb_id: MANIFEST.orb_id, manifest_digest: `sha256:${digest}`, suite_digest: null } },
    },
  };
}

const JSON_TYPE = 'application/json';
const PROBLEM = 'application/problem+json';

/** What a request says of its sender; `scopeless` is a key that may only execute. */
type Sender = 'nobody' | 'stranger' | 'scopeless' | 'owner';
type Row = readonly [method: string, path: string, sender: Sender, status: number, type: string];

const withKey = (method: string, path: string, status: number): readonly Row[] => [
  [method, path, 'nobody', 401, PROBLEM],
  [method, path, 'stranger', 401, PROBLEM],
  [method, path, 'scopeless', 403, PROBLEM],
  [method, path, 'owner', status, JSON_TYPE],
];
const withoutKey = (path: string, type: string): readonly Row[] => [
  ['GET', path, 'nobody', 200, type],
  ['GET', path, 'stranger', 200, type],
  ['GET', path, 'scopeless', 200, type],
  ['GET', path, 'owner', 200, type],
];

/** Paths and methods, with and without a key (spec §4.2, spec §5). */
function rowsOf(orbId: string): readonly Row[] {
  const reputation = `/reputation/${orbId}`;
  return [
    ...withKey('POST', '/marketplace/orbs/publish', 201),
    ...withKey('GET', '/marketplace/orbs', 200),
    ...withKey('GET', '/marketplace/orbs?tier=bronze&limit=20&offset=0', 200),
    ...withoutKey('/marketplace/orbs/public', JSON_TYPE),
    ...withKey('GET', reputation, 200),
    ...withKey('GET', reputation.replace('@', '%40'), 200),
    ...withKey('GET', `${reputation}/certificate`, 200),
    ...withoutKey(`${reputation}/badge`, 'image/svg+xml'),
    ['PUT', '/marketplace/orbs', 'owner', 405, PROBLEM],
    ['GET', '/marketplace/orbs/publish', 'owner', 405, PROBLEM],
    ['POST', '/marketplace/orbs/public', 'owner', 405, PROBLEM],
    ['POST', reputation, 'owner', 405, PROBLEM],
  ];
}

/** The list in an answer: the specification does not show the envelope, and there is one list in it. */
function itemsOf(answer: JsonValue): readonly JsonObject[] {
  const lists = isJsonObject(answer) ? Object.values(answer).filter((value) => Array.isArray(value)) : [];
  expect(lists).to.have.length(1);
  const items: readonly JsonValue[] = lists[0] ?? [];
  expect(items.every(isJsonObject)).to.equal(true);
  return items.filter(isJsonObject);
}

const publishedAt = (answer: JsonValue): readonly unknown[] => itemsOf(answer).map((item) => item['published_at']);

export interface SpecificationSubject {
  readonly standalone: () => Standalone;
  /** A published version with a certificate, the only one. */
  readonly orbId: string;
}

/**
 * Tests of the six routes of spec §4.2, by a client that knows the specification alone. They publish a second
 * version, and yank it in the end.
 */
export function specificationTests({ standalone, orbId }: SpecificationSubject): void {
  let scopeless = '';
  const keyOf = (sender: Exclude<Sender, 'nobody'>): string =>
    ({ stranger: 'orb_nobody', scopeless, owner: standalone().ready.api_key })[sender];
  const send = (method: string, path: string, sender: Sender = 'owner'): Promise<Response> =>
    fetch(`${standalone().ready.url}${path}`, {
      method,
      headers: {
        ...(sender === 'nobody' ? {} : { authorization: `Bearer ${keyOf(sender)}` }),
        ...(method === 'GET' ? {} : { 'content-type': JSON_TYPE }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify({ manifest: MANIFEST, test_results: testResults() }) }),
    });
  const read = async (path: string, sender: Sender = 'owner'): Promise<JsonValue> =>
    jsonOf(await (await send('GET', path, sender)).json());

  const isKnown = async (): Promise<boolean | undefined> =>
    (await send('GET', '/marketplace/orbs', 'scopeless')).status === 401 ? undefined : true;
  const tiersIn = async (tier: string): Promise<readonly (JsonValue | undefined)[]> =>
    itemsOf(await read(`/marketplace/orbs?tier=${tier}`)).map((item) => item['certification_tier']);

  it('spec §4.2: a key works soon after it was made', async () => {
    const newKey = { tenants: ['default'], scopes: ['orbs:execute'], createdBy: 'test' } as const;
    const tools = { now: Date.now(), random: randomBytes };
    scopeless = (await createApiKey(join(standalone().data, 'api-keys'), newKey, tools)).text;
    // A new key is in effect within 2 s.
    expect(await waitFor(isKnown, 10_000)).to.equal(true);
  });

  for (const [method, path, sender, status, type] of rowsOf(orbId))
    it(`spec §4.2: ${method} ${path} of ${sender} is answered ${status}`, async () => {
      const response = await send(method, path, sender);
      const text = await response.text();
      expect([response.status, response.headers.get('content-type')?.split(';')[0]], text).to.deep.equal([
        status,
        type,
      ]);
      if (type === 'image/svg+xml') expect(text).to.match(/^<svg [^]*<\/svg>$/);
      else expect(isJsonObject(jsonOf(JSON.parse(text)))).to.equal(true);
      if (status === 401) expect(response.headers.get('www-authenticate')).to.match(/^Bearer/);
    });

  it('spec §4.2: the pages hold each published Orb once', async () => {
    const all = itemsOf(await read('/marketplace/orbs'));
    expect(all).to.have.length(2);
    const pages = [
      itemsOf(await read('/marketplace/orbs?limit=1&offset=0')),
      itemsOf(await read('/marketplace/orbs?limit=1&offset=1')),
      itemsOf(await read('/marketplace/orbs?limit=1&offset=2')),
    ];
    expect(pages).to.deep.equal([all.slice(0, 1), all.slice(1), []]);
  });

  it('spec §4.2: the list of a tier holds no other Orb', async () => {
    expect([await tiersIn('bronze'), await tiersIn('uncertified'), await tiersIn('gold')]).to.deep.equal([
      ['bronze'],
      ['uncertified'],
      [],
    ]);
  });

  const wrong = ['limit=0', 'limit=many', 'limit=1.5', 'offset=-1', 'offset=first', 'tier=plaid'];
  for (const query of wrong)
    it(`spec §4.2: ${query} is refused`, async () => {
      const response = await send('GET', `/marketplace/orbs?${query}`);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([400, PROBLEM]);
    });

  it('spec §2.7: everybody sees exactly name, description, tier and score of all Orbs', async () => {
    const items = itemsOf(await read('/marketplace/orbs/public', 'nobody'));
    expect(items).to.have.length(2);
    for (const item of items) {
      expect(Object.keys(item)).to.have.members(['name', 'description', 'certification_tier', 'reputation_score']);
      expect(Object.values(item).filter((value) => typeof value === 'string')).to.have.length(3);
      expect(Number.isSafeInteger(item['reputation_score'])).to.equal(true);
    }
    expect(items.find(({ name }) => name === 'spec.mailer')).to.deep.equal({
      name: 'spec.mailer',
      description: MANIFEST.description,
      certification_tier: 'uncertified',
      reputation_score: 20,
    });
  });

  it('spec §4.2: the same version is published once', async () => {
    const before = await read('/marketplace/orbs');
    const again = await send('POST', '/marketplace/orbs/publish');
    expect(again.status).to.equal(200);
    expect(publishedAt(await read('/marketplace/orbs'))).to.deep.equal(publishedAt(before));
  });

  // The tests that follow count the Orbs on the lists.
  it('spec §4.2: a yanked version is on no list', async () => {
    const yanked = await standalone().post(`/marketplace/orbs/${MANIFEST.orb_id}/status`, {
      status: 'yanked',
      reason: 'the test is over',
    });
    expect(yanked.status).to.equal(200);
    expect(itemsOf(await read('/marketplace/orbs'))).to.have.length(1);
    expect(itemsOf(await read('/marketplace/orbs/public', 'nobody'))).to.have.length(1);
  });
}
