import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { doCaseWork, testMock } from '../../../../core/suite/case-work.ts';
import { mockRun } from '../../../../core/suite/mock-run.ts';
import type { RunFacts } from '../../../../core/suite/run-facts.ts';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { aSuite, casesIn, compiled, echoManifest, mockCase } from '../../../support/suites.ts';

const execution = (host: string): Readonly<Record<string, unknown>> => ({
  type: 'http',
  method: 'POST',
  url: `https://${host}.example.com/echo`,
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer {{orbiset.secrets.TOKEN}}' },
  body_template: '{"text":"{{inputs.text}}"}',
  timeout_ms: 1000,
  idempotent: true,
});
const two = echoManifest({
  execution: execution('main'),
  providers: { other: { execution: execution('other') } },
  swap_config: { primary: 'main', fallbacks: ['other'], strategy: 'priority' },
});

type Members = Readonly<Record<string, unknown>>;
const good = { status: 200, body: { text: 'hi' } };

function facts(responses: readonly Members[], manifest: JsonValue = echoManifest()): RunFacts {
  const orb = compiled(manifest);
  const [item] = casesIn(aSuite({ cases: [mockCase({ responses })] }), orb);
  const run = item === undefined ? undefined : mockRun(orb, item, []);
  if (run?.kind !== 'ran') throw new Error(JSON.stringify(run));
  return run.facts;
}

const faults = (members: Members, manifest: JsonValue = echoManifest()): readonly string[] => {
  const orb = compiled(manifest);
  return casesIn(aSuite({ cases: [mockCase(members)] }), orb).flatMap((item) => testMock(orb, item, []).faults);
};

describe('mockRun', () => {
  const rows: readonly (readonly [why: string, responses: readonly Members[], ended: readonly unknown[]])[] = [
    ['a good answer', [{ provider: 'main', ...good }], ['completed', 'success', 1, 'main', 0]],
    [
      'a delay on the virtual clock',
      [{ provider: 'main', ...good, delay_ms: 400 }],
      ['completed', 'success', 1, 'main', 400],
    ],
    [
      'failover to the next provider',
      [
        { provider: 'main', status: 503, delay_ms: 10 },
        { provider: 'other', ...good },
      ],
      ['completed', 'success', 2, 'other', 10],
    ],
    [
      'a provider that hangs and leaves half of the time',
      [
        { provider: 'main', error: 'timeout' },
        { provider: 'other', ...good },
      ],
      ['completed', 'success', 2, 'other', 500],
    ],
    [
      'a time-out',
      [
        { provider: 'main', error: 'timeout' },
        { provider: 'other', error: 'timeout' },
      ],
      ['timed_out', 'timeout', 2, 'other', 1000],
    ],
    [
      'no connection',
      [
        { provider: 'main', error: 'connect' },
        { provider: 'other', error: 'tls' },
      ],
      ['failed', 'orb_error', 2, 'other', 0],
    ],
    [
      'the failure of the next provider after a quota that is used up',
      [
        { provider: 'main', status: 429, headers: { 'Retry-After': '0' } },
        { provider: 'other', status: 500 },
        { provider: 'main', ...good },
      ],
      ['failed', 'orb_error', 2, 'other', 0],
    ],
    ['a refused credential', [{ provider: 'main', status: 401 }], ['failed', 'caller_error', 1, 'main', 0]],
    [
      'an output that is missing',
      [
        { provider: 'main', status: 200, body: {} },
        { provider: 'other', status: 200, body: {} },
      ],
      ['failed', 'orb_error', 2, 'other', 0],
    ],
    [
      'a body that is no JSON',
      [
        { provider: 'main', status: 200, headers: { 'content-type': 'application/json' } },
        { provider: 'other', status: 400 },
      ],
      ['failed', 'orb_error', 2, 'other', 0],
    ],
  ];
  for (const [why, responses, ended] of rows)
    it(`ends like a run: ${why}`, () => {
      const { status, outcome, attempts, activeProvider, executionMs } = facts(responses, two);
      expect([status, outcome, attempts, activeProvider, executionMs]).to.deep.equal(ended);
    });

  it('renders the request with the secrets of the suite', () => {
    const { request } = facts([{ provider: 'main', ...good }]);
    expect(request).to.deep.include({ method: 'POST', url: 'https://api.example.com/echo', body: '{"text":"hi"}' });
    expect(request?.headers).to.deep.include(['Authorization', 'Bearer test-value']);
  });

  it('redacts a secret that the provider answers', () => {
    expect(facts([{ provider: 'main', status: 200, body: { text: 'your test-value' } }]).outputs).to.deep.equal({
      text: 'your [redacted:TOKEN]',
    });
  });

  it('repeats the last response of a provider', () => {
    const put = echoManifest({ execution: { ...execution('main'), method: 'PUT', idempotent: false } });
    const { attempts, status } = facts(
      [
        { provider: 'main', status: 503 },
        { provider: 'main', status: 502 },
      ],
      put,
    );
    expect([attempts, status]).to.deep.equal([3, 'failed']);
  });

  it('says which secret is missing, and which provider has no response', () => {
    const orb = compiled(two);
    const suites = [
      aSuite({ defaults: {}, cases: [mockCase()] }),
      aSuite({ cases: [mockCase({ responses: [{ provider: 'other', status: 200 }] })] }),
    ];
    const why = suites.flatMap((suite) => casesIn(suite, orb).flatMap((item) => testMock(orb, item, []).faults));
    expect(why).to.deep.equal([
      'no provider can be called: secret-missing TOKEN',
      'the provider main was called, and the case has no response of it',
    ]);
  });

  const origins: readonly (readonly [why: string, url: string, allowed: readonly string[], kind: string])[] = [
    ['an allowed origin of this machine', 'http://127.0.0.1:9000', ['http://127.0.0.1:9000'], 'ran'],
    ['another spelling of it', 'http://localhost:80', ['http://localhost'], 'ran'],
    ['an allowed origin of another machine', 'http://10.0.0.5:9000', ['http://10.0.0.5:9000'], 'refused'],
  ];
  for (const [why, origin, allowed, kind] of origins)
    it(`sends a secret without TLS to ${why}: ${kind}, as a run does`, () => {
      const manifest = echoManifest({ execution: { ...execution('main'), url: `${origin}/echo` } });
      const orb = compileOrb(manifest, { namespace: 'default', allowedOrigins: allowed });
      if (!orb.ok) throw new Error(JSON.stringify(orb.findings));
      const [item] = casesIn(aSuite({ cases: [mockCase()] }), orb.value);
      expect(item && mockRun(orb.value, item, allowed).kind).to.equal(kind);
      const found = doCaseWork({
        manifest,
        suites: [aSuite({ cases: [mockCase()] })],
        allowedOrigins: allowed,
        disclosed: [],
      });
      expect(found.mocks.map(({ faults: wrong }) => wrong.length === 0)).to.deep.equal([kind === 'ran']);
    });

  it('ends, whatever providers answer', () => {
    const response = fc.oneof(
      fc.record({
        provider: fc.constantFrom('main', 'other'),
        status: fc.constantFrom(200, 301, 401, 402, 408, 425, 429, 500, 503),
        headers: fc.constantFrom({}, { 'retry-after': '0' }, { 'retry-after': '1' }, { 'retry-after': 'soon' }),
        delay_ms: fc.constantFrom(0, 400, 5000),
      }),
      fc.record({ provider: fc.constantFrom('main', 'other'), error: fc.constantFrom('timeout', 'connect', 'tls') }),
    );
    fc.assert(
      fc.property(fc.array(response, { maxLength: 5 }), (responses) => {
        const all = [...responses, { provider: 'main', ...good }, { provider: 'other', ...good }];
        const { attempts, executionMs } = facts(all, two);
        expect(attempts).to.be.within(1, 3);
        expect(executionMs).to.be.within(0, 1000);
      }),
    );
  });
});

describe('the comparison of a case', () => {
  const request = (expected: Members): Members => ({ expect: { status: 'completed', request: expected } });
  const rows: readonly (readonly [why: string, members: Members, faults: readonly string[]])[] = [
    ['status', { expect: { status: 'failed' } }, ['status is "completed", expected "failed"']],
    ['outcome', { expect: { status: 'completed', outcome: 'timeout' } }, ['outcome is "success", expected "timeout"']],
    [
      'an output',
      { expect: { status: 'completed', outputs: { text: { equals: 'ho' } } } },
      ['output text is "hi", expected "ho"'],
    ],
    [
      'an absent output',
      { expect: { status: 'completed', outputs: { text: { absent: true } } } },
      ['output text is "hi", expected none'],
    ],
    [
      'a schema',
      { expect: { status: 'completed', outputs: { text: { schema: { minLength: 3 } } } } },
      ['output text does not fit its schema: It must have a length of at least 3.'],
    ],
    ['the method', request({ method: 'GET' }), ['request method is "POST", expected "GET"']],
    [
      'the URL',
      request({ url: 'https://api.example.com/other' }),
      ['request URL is "https://api.example.com/echo", expected "https://api.example.com/other"'],
    ],
    [
      'a header',
      request({ headers: { authorization: { equals: 'Bearer x' } } }),
      ['request header authorization is "Bearer test-value", expected "Bearer x"'],
    ],
    [
      'a header that should not be there',
      request({ headers: { AUTHORIZATION: { absent: true } } }),
      ['request header AUTHORIZATION is "Bearer test-value", expected none'],
    ],
    ['the body', request({ body: { text: 'ho' } }), ['request body is {"text":"hi"}, expected {"text":"ho"}']],
    ['attempts', { expect: { status: 'completed', attempts: 2 } }, ['number of attempts is 1, expected 2']],
    [
      'the time',
      {
        timeout_ms: 10,
        responses: [{ provider: 'main', ...good, delay_ms: 20 }],
        expect: { status: 'completed', max_execution_ms: 15 },
      },
      ['it took 20 ms, max_execution_ms is 15', 'it took 20 ms, timeout_ms is 10'],
    ],
    [
      'a request that fits',
      request({ method: 'POST', headers: { authorization: { schema: { type: 'string' } } }, body: { text: 'hi' } }),
      [],
    ],
  ];
  for (const [why, members, expected] of rows)
    it(`names ${why}`, () => {
      expect(faults(members)).to.deep.equal(expected);
    });
});

describe('the suites beside the examples', () => {
  for (const name of ['echo', 'lookup', 'mail'])
    it(`pass: ${name}`, async () => {
      const folder = join(import.meta.dirname, '../../../../manifests');
      const { parseDocuments } = await import('../../../../core/manifest/parse-text.ts');
      const [document] = parseDocuments(readFileSync(join(folder, `${name}.yaml`), 'utf8'), 'yaml');
      const orb = compiled(document?.ok === true ? document.value : null);
      const [suite] = parseDocuments(readFileSync(join(folder, `${name}.orbtest.json`), 'utf8'), 'json');
      const cases = casesIn(suite?.ok === true ? suite.value : null, orb);
      const failed = cases.filter((item) => item.mode === 'mock' && testMock(orb, item, []).faults.length > 0);
      expect([cases.length > 1, failed]).to.deep.equal([true, []]);
    });
});
