import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { anIntake } from '../../../../support/an-intake.ts';
import { SourceIndex } from '../../../../../api-server/ingestion/source-index.ts';
import { someReplays } from '../../../../support/replays.ts';
import { aStatus } from '../../../../support/a-status.ts';
import { whileTimePasses } from '../../../../support/while-time-passes.ts';
import { evaluateOnce } from '../../../../support/evaluate-once.ts';
import { expect } from 'chai';
import { marketplaceService } from '../../../../../api-server/services/marketplace/service.ts';
import { reputationService } from '../../../../../api-server/services/reputation/service.ts';
import type { CheckTests } from '../../../../../api-server/reputation/publish-request.ts';
import { BADGE_STYLES } from '../../../../../core/badge/badge-image.ts';
import type { JsonValue } from '../../../../../core/json/json-value.ts';
import { aMarketplace, aPublisher, type Marketplace } from '../../../../support/a-marketplace.ts';
import { createTestRuntime } from '../../../../support/a-runtime.ts';
import { startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { HOSTILE_TEXTS } from '../../../../support/hostile-texts.ts';
import { at } from '../../../../support/members.ts';
import { echoManifest, jsonOf } from '../../../../support/suites.ts';
import { vectorKeys } from '../../../../support/vector-receipts.ts';

const ORB = 'acme.loud@1.0.0';

const goodTests: CheckTests = async () => ({
  findings: [],
  summary: { required: 1, passed: 1, provenance: 'receipted', suiteDigest: null },
  audit: undefined,
  accepted: {
    reportSha256: '6'.repeat(64),
    report: '{}',
    suites: null,
    statement: 'e30.e30.e30',
    testedAt: '2026-11-20T09:00:00.000Z',
  },
});

const textOf = ({ body }: Called): string => Buffer.from(body).toString('utf8');

const unused = (): Promise<never> => Promise.reject(new Error('no route asks for it'));

/** A publication whose manifest has these members. */
const bodyWith = (members: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ manifest: echoManifest({ orb_id: ORB, ...members }), test_results: {} });

/** JSON writes control characters as escapes. */
const checkText = (answer: Called): void => {
  expect(
    textOf(answer)
      .split('')
      .filter((unit) => unit < ' '),
  ).to.deep.equal([]);
};

describe('what strangers write, where it is shown', () => {
  let market: Marketplace;
  let app: TestApp;
  beforeEach(async () => {
    market = await aMarketplace({ checkTests: goodTests });
    const { ledger, clock, reputation } = market;
    const { runtime } = createTestRuntime({ ledger, clock });
    const parts = {
      version: '1.0.0',
      clock,
      ledger,
      keys: vectorKeys,
      runtime,
      reputation,
      drafts: DRAFTS_HERE,
      sources: new SourceIndex(),
      intake: anIntake().intake,
      replays: someReplays(runtime),
      status: aStatus({ ledger, clock }),
      missing: () => [],
      pins: { set: unused, remove: unused },
      policyObjects: { read: unused, list: unused, create: unused, replace: unused, remove: unused },
      lastEvaluation: unused,
    };
    const routes = [marketplaceService, reputationService].flatMap((service) => service.routes(parts));
    app = await startApp(routes, { caller: aPublisher(), clock });
  });
  afterEach(async () => {
    await app.close();
    await market.close();
  });

  const publish = (body: string): Promise<Called> =>
    whileTimePasses(
      market.clock,
      app.call('POST', '/marketplace/orbs/publish', { headers: { 'content-type': 'application/json' }, body }),
      1000,
    );

  for (const [what, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`a description with ${what} is text in the lists, and nowhere else`, async () => {
      expect((await publish(bodyWith({ description: text }))).status).to.equal(201);
      await evaluateOnce(market.reputation.evaluator, market.clock, [ORB]);
      for (const path of ['/marketplace/orbs?q=loud', '/marketplace/orbs/public']) {
        const answer = await app.call('GET', path);
        const items = at(jsonOf(answer.value), 'items');
        const shown = (Array.isArray(items) ? items : []).map((item: JsonValue) => at(item, 'description'));
        expect(shown, path).to.include(text);
        expect(answer.headers.get('content-type'), path).to.match(/^application\/json(?:;|$)/);
        expect(answer.headers.get('x-content-type-options'), path).to.equal('nosniff');
        checkText(answer);
      }
      const others = ['', '/certificate', ...BADGE_STYLES.map((style) => `/badge?style=${style}`)];
      for (const path of [
        ...others.map((rest) => `/reputation/${ORB}${rest}`),
        `/marketplace/orbs/${ORB}/test-result`,
      ]) {
        const answer = await app.call('GET', path);
        expect(answer.status, path).to.equal(200);
        expect(textOf(answer), path).to.match(/^[\x20-\x7e\n]*$/);
        expect(textOf(answer), path).to.not.match(/script|onload|onerror|owned/);
      }
    });

    it(`an id or a parameter with ${what} is not sent back`, async () => {
      const part = encodeURIComponent(text);
      const paths = [
        `/reputation/${part}`,
        `/reputation/${part}/certificate`,
        `/reputation/${part}/badge`,
        `/reputation/${ORB}/badge?style=${part}`,
        `/marketplace/orgs/${part}`,
        `/marketplace/orbs/${part}/test-result`,
        `/marketplace/orbs?tier=${part}`,
        `/marketplace/orbs?${part}=1`,
        `/marketplace/orbs/public?limit=${part}`,
        `/.well-known/orb-status-list/${part}`,
      ];
      for (const path of paths) {
        const answer = await app.call('GET', path);
        expect(answer.status, path).to.be.oneOf([400, 404]);
        expect(answer.headers.get('content-type'), path).to.be.oneOf(['application/problem+json', 'image/svg+xml']);
        expect(answer.headers.get('x-content-type-options'), path).to.equal('nosniff');
        for (const form of [text, JSON.stringify(text).slice(1, -1), part])
          expect(textOf(answer).includes(form), path).to.equal(false);
      }
    });
  }

  const refused: readonly (readonly [why: string, body: string, code: string, pointer: string])[] = [
    ['a line of 4 kB', bodyWith({ description: 'x'.repeat(4096) }), 'schema-maxLength', '/manifest/description'],
    [
      'half of a surrogate pair',
      bodyWith({ description: '?' }).replace('"?"', String.raw`"a\ud800b"`),
      'invalid-unicode',
      '/manifest/description',
    ],
    ['an id with markup', bodyWith({ orb_id: 'acme.<b>x</b>@1.0.0' }), 'schema-pattern', '/manifest/orb_id'],
    [
      'an id with a letter of no width',
      bodyWith({ orb_id: 'ac\u200bme.echo@1.0.0' }),
      'schema-pattern',
      '/manifest/orb_id',
    ],
    ['a provider with markup', bodyWith({ provider: '<b>x</b>' }), 'schema-pattern', '/manifest/provider'],
    [
      'a capability with control characters',
      bodyWith({ capabilities: ['http.\u001b[2J'] }),
      'schema-pattern',
      '/manifest/capabilities/0',
    ],
    [
      'an output with markup in its name',
      bodyWith({ outputs: { '<b>/~': { type: 'string' } } }),
      'schema-propertyNames',
      '/manifest/outputs/<b>~1~0',
    ],
    [
      'a member with a hostile name',
      bodyWith({ '</script>\u202e': 1 }),
      'schema-additionalProperties',
      '/manifest/<~1script>\ufffd',
    ],
  ];
  for (const [why, body, code, pointer] of refused)
    it(`${why} is refused with ${code} at its place, and writes nothing`, async () => {
      const size = await market.ledger.logSize();
      const answer = await publish(body);
      expect([answer.status, answer.code]).to.deep.equal([422, 'validation-failed']);
      const problem = jsonOf(answer.value);
      expect([at(problem, 'errors', '0', 'code'), at(problem, 'errors', '0', 'pointer')]).to.deep.equal([
        code,
        pointer,
      ]);
      checkText(answer);
      expect(await market.ledger.logSize()).to.equal(size);
    });
});
