import { expect } from 'chai';
import { RequestRates, type RateStep, type RequestRateLimits } from '../../../../api-server/http/request-rates.ts';
import { json } from '../../../../api-server/http/reply.ts';
import type { Route } from '../../../../api-server/http/route.ts';
import { parseCidr } from '../../../../core/network/cidr.ts';
import { aCaller, startApp, type TestApp } from '../../../support/api-app.ts';

const OFF: RequestRateLimits = { key: 'none', address: 'none', process: 'none', refusals: 'none' };
const twice = { perSecond: 1, burst: 2 };
const kinds = (...steps: readonly RateStep[]): readonly string[] =>
  steps.map((step) => (step.kind === 'allowed' ? 'allowed' : step.refusal.limit));

describe('RequestRates', () => {
  it('counts each key for itself, and a key with a rate of its own by that', () => {
    const rates = new RequestRates({ ...OFF, key: twice }, () => 0);
    const own = { id: 'key:own', rate: { perSecond: 1, burst: 1 } };
    const free = { id: 'key:free', rate: 'none' as const };
    const ask = (caller: Parameters<RequestRates['ofCaller']>[0], times: number): readonly string[] =>
      kinds(...Array.from({ length: times }, () => rates.ofCaller(caller)));
    expect(ask({ id: 'key:one' }, 3)).to.deep.equal(['allowed', 'allowed', 'key']);
    expect(ask({ id: 'key:two' }, 1)).to.deep.equal(['allowed']);
    expect(ask(own, 2)).to.deep.equal(['allowed', 'key']);
    expect(ask(free, 5)).to.deep.equal(Array.from({ length: 5 }, () => 'allowed'));
  });

  it('counts strangers by address and IPv6 network, and those on this machine not at all', () => {
    const rates = new RequestRates({ ...OFF, address: twice }, () => 0);
    const ask = (...addresses: readonly string[]): readonly string[] =>
      kinds(...addresses.map((address) => rates.ofStranger(address)));
    expect(ask('203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7')).to.deep.equal(['allowed', 'allowed', 'address']);
    expect(ask('2001:db8::1', '2001:db8::2', '2001:db8:0:0:1::3', '2001:db8:0:1::1')).to.deep.equal([
      'allowed',
      'allowed',
      'address',
      'allowed',
    ]);
    expect(ask('127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', '::1', '::1')).to.not.include('address');
    expect([rates.mayCheck('203.0.113.7'), rates.mayCheck('203.0.113.8'), rates.mayCheck('127.0.0.1')]).to.deep.equal([
      false,
      true,
      true,
    ]);
  });

  it('takes nothing of a key for what the rate of the process refuses', () => {
    let now = 0;
    const slow = { perSecond: 0.001, burst: 2 };
    const rates = new RequestRates({ ...OFF, key: slow, process: { perSecond: 1, burst: 1 } }, () => now);
    const ask = (): readonly string[] => kinds(rates.ofCaller({ id: 'key:one' }));
    expect([...ask(), ...ask()]).to.deep.equal(['allowed', 'process']);
    now = 1000;
    expect(ask()).to.deep.equal(['allowed']);
  });

  it('takes nothing of the process for what a key’s rate refuses', () => {
    const rates = new RequestRates({ ...OFF, key: { perSecond: 1, burst: 1 }, process: twice }, () => 0);
    for (let request = 0; request < 50; request += 1) rates.ofCaller({ id: 'key:one' });
    expect(kinds(rates.ofCaller({ id: 'key:two' }), rates.ofCaller({ id: 'key:three' }))).to.deep.equal([
      'allowed',
      'process',
    ]);
  });
});

/** Status, rate headers and the named limit of an answer. */
const said = ({ status, headers, value }: Awaited<ReturnType<TestApp['call']>>): readonly unknown[] => [
  status,
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
  headers.get('retry-after'),
  typeof value === 'object' && value !== null && 'limit' in value ? value.limit : undefined,
];

/** In the form of an API key: it is checked without a call to another service. */
const KEY = 'orb_good';

describe('rates of requests over HTTP', () => {
  let app: TestApp;
  const checked: string[] = [];
  const open: Route = {
    method: 'get',
    path: '/open',
    scope: 'public',
    handle: () => Promise.resolve(json({})),
    operation: {
      operationId: 'getOpen',
      summary: 'Open',
      tags: ['platform'],
      responses: { '200': { description: 'Yes.', content: { 'application/json': { schema: { type: 'object' } } } } },
      problems: [],
    },
  };
  const probe: Route = {
    ...open,
    path: '/probe',
    rated: false,
    operation: { ...open.operation, operationId: 'probe' },
  };
  const own: Route = {
    ...open,
    path: '/own',
    scope: 'receipts:read',
    operation: { ...open.operation, operationId: 'own' },
  };

  before(async () => {
    app = await startApp([open, probe, own], {
      authenticate: (header) => {
        checked.push(header ?? '');
        return header === `Bearer ${KEY}` || header === 'Bearer known'
          ? { kind: 'ok', caller: aCaller() }
          : { kind: 'unauthenticated' };
      },
      wasValid: (header) => header === 'Bearer known',
      rates: { ...OFF, key: { perSecond: 1, burst: 2 }, address: { perSecond: 1, burst: 2 } },
      trustedProxies: ['127.0.0.0/8', '::1/128'].flatMap((text) => parseCidr(text) ?? []),
    });
  });
  after(() => app.close());

  const call = (path: string, address: string, key: string | null): ReturnType<TestApp['call']> =>
    app.call('GET', path, { key, headers: { 'x-forwarded-for': address } });

  it('answers 429 with the limit, the headers and the seconds to wait, first by key', async () => {
    const answers = [];
    for (let request = 0; request < 3; request += 1) answers.push(said(await call('/own', '203.0.113.1', KEY)));
    expect(answers).to.deep.equal([
      [200, '"key";r=1;t=1', '"key";q=2;w=2', null, undefined],
      [200, '"key";r=0;t=2', '"key";q=2;w=2', null, undefined],
      [429, '"key";r=0;t=2', '"key";q=2;w=2', '1', 'key'],
    ]);
  });

  it('counts public requests and wrong keys of an address together: 429 in place of 401', async () => {
    const statuses = [];
    for (const [path, key] of [
      ['/open', null],
      ['/own', 'wrong'],
      ['/own', 'wrong'],
      ['/open', null],
      ['/probe', null],
    ] as const)
      statuses.push((await call(path, '203.0.113.2', key)).status);
    expect(statuses).to.deep.equal([200, 401, 429, 429, 200]);
    expect(said(await call('/open', '203.0.113.2', null))[4]).to.equal('address');
    expect((await call('/open', '203.0.113.3', null)).status).to.equal(200);
  });

  it('lets a valid key through from an address that used up its rate', async () => {
    for (let request = 0; request < 4; request += 1) await call('/open', '203.0.113.4', null);
    // The rate of the key, not that of the address, answers here.
    expect(said(await call('/own', '203.0.113.4', KEY))[4]).to.equal('key');
  });

  it('checks no token of an address with too many wrong ones: that is a call to another service', async () => {
    const statuses = [];
    for (const key of ['token', 'token', 'token', 'token'])
      statuses.push((await call('/own', '203.0.113.5', key)).status);
    expect(statuses).to.deep.equal([401, 401, 429, 429]);
    expect(checked.filter((header) => header === 'Bearer token').length).to.equal(2);
  });

  it('checks a token that was valid before, whatever others sent from its address', async () => {
    for (let request = 0; request < 4; request += 1) await call('/open', '203.0.113.6', null);
    await call('/own', '203.0.113.6', 'known');
    expect(checked.filter((header) => header === 'Bearer known').length).to.equal(1);
  });
});
