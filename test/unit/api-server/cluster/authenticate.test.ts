import { expect } from 'chai';
import type { AccessSubject } from '../../../../api-server/http/authorise.ts';
import { isPlatformAdmin } from '../../../../api-server/http/platform-admin.ts';
import { orbisetRef, tenantOf } from '../../../../api-server/http/tenant.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { makeKey, START } from '../../adapters/api-keys/contract.ts';
import {
  EXECUTE,
  EXP,
  TOKEN,
  USER,
  askWithToken,
  callerOf,
  startTokens,
  tokenOf,
} from '../../../support/token-callers.ts';

const ADMIN = { verb: '*', resource: 'orbisets', subresource: 'admin', namespace: 'orb-system' };

const PUBLISH = { scope: 'marketplace:publish', orbiset: undefined, namespace: null } as const;
const SET_STATUS: AccessSubject = { ...PUBLISH, admin: 'maybe' };

describe('tokens of ServiceAccounts (security.md S12)', () => {
  for (const [why, token] of [
    ['is for another audience', tokenOf({ aud: ['https://kubernetes.default.svc'], exp: EXP })],
    ['is over', tokenOf({ aud: ['orb-api'], exp: START / 1000 - 61 })],
    ['does not say when it ends', tokenOf({ aud: ['orb-api'] })],
    ['holds no claims', 'aaaa.bbbb.cccc'],
  ] as const) {
    it(`are refused without a question to the API server when one ${why}`, async () => {
      const started = startTokens();
      expect((await askWithToken(started, EXECUTE, token)).kind).to.equal('unauthenticated');
      expect(started.asked).to.deep.equal([]);
    });
  }

  it('are reviewed though invented ones hold every place, when they were good before', async () => {
    const started = startTokens();
    await askWithToken(started);
    await started.clock.advance(11_000);
    const held = Promise.withResolvers<undefined>();
    started.server.wait = held.promise.then(() => undefined);
    const invented = Array.from({ length: 40 }, (_, index) =>
      askWithToken(started, EXECUTE, tokenOf({ aud: ['orb-api'], exp: EXP }, `y${index}`)),
    );
    const good = askWithToken(started);
    const other = askWithToken(started, EXECUTE, tokenOf({ aud: ['orb-api'], exp: EXP }, 'zz'));
    expect((await other).kind).to.equal('unavailable');
    held.resolve(undefined);
    expect((await good).kind).to.equal('ok');
    await Promise.all(invented);
  });

  it('are known as valid until a review says otherwise', async () => {
    const started = startTokens();
    const isKnown = (): boolean => started.wasValid(`Bearer ${TOKEN}`);
    const seen = [isKnown()];
    await askWithToken(started);
    seen.push(isKnown(), started.wasValid('Bearer orb_key'));
    await started.clock.advance(11_000);
    started.server.review = { authenticated: false };
    await askWithToken(started);
    expect([...seen, isKnown()]).to.deep.equal([false, true, false, false]);
  });

  it('are reviewed for our audience, then asked for the rights of the scope by namespace and name', async () => {
    const started = startTokens();
    const result = await askWithToken(started);
    expect(started.asked).to.deep.equal([
      { kind: 'TokenReview', spec: { token: TOKEN, audiences: ['orb-api'] } },
      {
        kind: 'SubjectAccessReview',
        spec: {
          user: USER.username,
          uid: 'u1',
          groups: ['g'],
          extra: { k: ['v'] },
          resourceAttributes: {
            group: 'orbs.dev',
            verb: 'create',
            resource: 'orbisets',
            subresource: 'execute',
            namespace: 'acme',
            name: 'support',
          },
        },
      },
    ]);
    const caller = result.kind === 'ok' ? result.caller : undefined;
    expect([caller?.id, caller?.tenants, [...(caller?.scopes ?? [])], caller?.standing()]).to.deep.equal([
      'sa:acme/app',
      ['acme'],
      ['orbs:execute'],
      'valid',
    ]);
    expect(orbisetRef('support', caller)).to.deep.equal({ namespace: 'acme', name: 'support' });
  });

  it('are asked for every verb of a scope', async () => {
    const started = startTokens();
    started.server.allows = ({ verb }) => verb !== 'patch';
    const result = await askWithToken(started, PUBLISH);
    const verbs = started.asked
      .slice(1)
      .map(({ spec }) => isJsonObject(spec['resourceAttributes']) && spec['resourceAttributes']['verb']);
    expect([result.kind, new Set(verbs)]).to.deep.equal(['forbidden', new Set(['create', 'patch'])]);
  });

  const foreign: readonly (readonly [why: string, wanted: AccessSubject, namespace: unknown])[] = [
    ['an Orbiset of another namespace', { ...EXECUTE, orbiset: 'other.support' }, 'other'],
    ['another namespace', { scope: 'receipts:read', orbiset: undefined, namespace: 'other' }, 'other'],
  ];
  for (const [why, wanted, namespace] of foreign) {
    it(`act in ${why} when they are allowed to there, and see nothing of it otherwise`, async () => {
      const started = startTokens();
      const allowed = await askWithToken(started, wanted);
      expect(allowed.kind === 'ok' && allowed.caller.tenants).to.deep.equal([namespace]);
      await started.clock.advance(10_000);
      started.server.allows = () => false;
      const denied = await askWithToken(started, wanted);
      const caller = callerOf(denied);
      expect(caller?.tenants).to.deep.equal([]);
      expect(caller && orbisetRef('other.support', caller)).to.equal(undefined);
      expect(caller && tenantOf(caller, 'other').kind).to.equal('unknown');
    });
  }

  it('are asked for admin in the platform namespace, wherever they are and whatever they name', async () => {
    for (const namespace of [null, 'acme', 'other']) {
      const started = startTokens();
      const wanted = { scope: 'admin', orbiset: undefined, namespace } as const;
      const result = await askWithToken(started, wanted);
      expect(isPlatformAdmin(callerOf(result), 'orb-system')).to.equal(true);
      expect(started.asked.at(-1)?.spec['resourceAttributes']).to.deep.include(ADMIN);
      started.server.allows = ({ namespace: asked }) => asked === 'acme';
      await started.clock.advance(10_000);
      const denied = await askWithToken(started, wanted);
      expect(isPlatformAdmin(callerOf(denied), 'orb-system')).to.equal(false);
    }
  });

  type Allows = (attributes: JsonObject) => boolean;
  const platform: readonly (readonly [
    why: string,
    wanted: AccessSubject,
    allows: Allows,
    kind: string,
    is: boolean,
  ])[] = [
    ['where a route asks for that beside its scope', SET_STATUS, () => true, 'ok', true],
    ['where no route asks', PUBLISH, () => true, 'ok', false],
    ['without that right', SET_STATUS, ({ subresource }) => subresource !== 'admin', 'ok', false],
    ['with that right in their own namespace', SET_STATUS, ({ namespace }) => namespace === 'acme', 'ok', false],
    ['without the right of the scope', SET_STATUS, ({ subresource }) => subresource === 'admin', 'forbidden', false],
  ];
  for (const [why, wanted, allows, kind, is] of platform)
    it(`${is ? 'act' : 'do not act'} for the platform ${why}`, async () => {
      const started = startTokens();
      started.server.allows = allows;
      const result = await askWithToken(started, wanted);
      expect([result.kind, isPlatformAdmin(callerOf(result), 'orb-system')]).to.deep.equal([kind, is]);
    });

  it('say what is lacking in their own namespace', async () => {
    const started = startTokens();
    started.server.allows = () => false;
    const result = await askWithToken(started);
    expect(result.kind === 'forbidden' && result.why === 'not-allowed' && result.detail).to.match(
      /may not create orbisets\/execute \(group orbs\.dev\) in acme/,
    );
  });

  it('are nobody without our audience, with another kind of user, or when the review says no', async () => {
    const reviews: readonly JsonObject[] = [
      { authenticated: true, audiences: ['https://kubernetes.default.svc'], user: USER },
      { authenticated: true, user: USER },
      { authenticated: false, audiences: ['orb-api'], user: USER },
      { authenticated: true, audiences: ['orb-api'], user: { username: 'jane' } },
      { authenticated: true, audiences: ['orb-api'], user: { username: 'system:serviceaccount:a:b:c' } },
      {},
    ];
    for (const review of reviews) {
      const started = startTokens();
      started.server.review = review;
      expect([(await askWithToken(started)).kind, started.asked.length]).to.deep.equal(['unauthenticated', 1]);
    }
  });

  it('that name what can not exist are answered without a question about it', async () => {
    for (const orbiset of ['a.b.c', '../x', '', 'A', 'acme.']) {
      const started = startTokens();
      const result = await askWithToken(started, { ...EXECUTE, orbiset });
      expect([result.kind === 'ok' && result.caller.tenants, started.asked.length]).to.deep.equal([[], 1]);
    }
  });

  it('are asked about once for many requests, again after 10 s, and after 1 s when refused', async () => {
    const started = startTokens();
    await Promise.all(Array.from({ length: 50 }, () => askWithToken(started)));
    expect(started.asked).to.have.length(2);
    await started.clock.advance(8900);
    await askWithToken(started);
    expect(started.asked).to.have.length(2);
    await started.clock.advance(200);
    started.server.allows = () => false;
    expect([(await askWithToken(started)).kind, started.asked.length]).to.deep.equal(['forbidden', 4]);
    await started.clock.advance(1000);
    started.server.allows = () => true;
    expect((await askWithToken(started)).kind).to.equal('ok');
  });

  it('are refused while nobody can be asked, and the failure is not kept', async () => {
    const started = startTokens();
    started.server.away = true;
    expect((await askWithToken(started)).kind).to.equal('unavailable');
    started.server.away = false;
    expect((await askWithToken(started)).kind).to.equal('ok');
    started.server.away = true;
    expect((await askWithToken(started)).kind).to.equal('ok');
    await started.clock.advance(10_000);
    expect((await askWithToken(started)).kind).to.equal('unavailable');
  });

  it('that are invented in great number become few questions', async () => {
    const started = startTokens();
    const answered = Promise.withResolvers<void>();
    started.server.wait = answered.promise;
    const all = Array.from({ length: 100 }, (_, index) =>
      askWithToken(started, EXECUTE, tokenOf({ aud: ['orb-api'], exp: EXP }, `x${index}`)),
    );
    await started.clock.advance(1);
    expect(started.asked).to.have.length(32);
    answered.resolve();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'unavailable')).to.have.length(68);
  });

  it('are not vouched for when a run ends long after the last answer, and disowned after a no', async () => {
    const started = startTokens();
    const result = await askWithToken(started);
    const caller = result.kind === 'ok' ? result.caller : undefined;
    await started.clock.advance(9999);
    expect(caller?.standing()).to.equal('valid');
    await started.clock.advance(1);
    expect(caller?.standing()).to.equal('unknown');
    started.server.allows = () => false;
    await askWithToken(started);
    expect(caller?.standing()).to.equal('revoked-or-expired');
  });

  it('and API keys have nothing in common: a key never asks the API server', async () => {
    const started = startTokens();
    const { text, document } = makeKey();
    started.keys.put('one', document);
    const results = [
      started.authenticate(`Bearer ${text}`, '127.0.0.1', () => EXECUTE),
      started.authenticate('Bearer orb_unknown', '127.0.0.1', () => EXECUTE),
      started.authenticate('Bearer a.b', '127.0.0.1', () => EXECUTE),
      started.authenticate(`Bearer ${'a'.repeat(9000)}.bb.cc`, '127.0.0.1', () => EXECUTE),
      started.authenticate(undefined, '127.0.0.1', () => EXECUTE),
    ];
    expect(results.map((result) => (result instanceof Promise ? 'asked' : result.kind))).to.deep.equal([
      'ok',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
      'unauthenticated',
    ]);
    expect(started.asked).to.deep.equal([]);
  });
});
