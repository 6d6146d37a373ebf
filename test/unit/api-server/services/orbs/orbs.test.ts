import { expect } from 'chai';
import { orbListRoute } from '../../../../../api-server/services/orbs/list-route.ts';
import { orbRoute } from '../../../../../api-server/services/orbs/show-route.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { parseOrbId, type OrbId } from '../../../../../core/manifest/orb-id.ts';
import { createTestRuntime, type TestRuntime } from '../../../../support/a-runtime.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { at } from '../../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { jsonOf } from '../../../../support/suites.ts';

const orbId = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
};

const idsOf = ({ value }: Called): readonly unknown[] => {
  const items = at(jsonOf(value), 'items');
  return Array.isArray(items) ? items.map((item: unknown) => at(jsonOf(item), 'orb_id')) : [];
};

describe('Orbs that a tenant can run', () => {
  let fixture: SqliteFixture;
  let test: TestRuntime;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  beforeEach(() => {
    test = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
  });

  async function ask(path: string, caller: Caller = aCaller()): Promise<Called> {
    const app = await startApp([orbListRoute(test.runtime), orbRoute(test.runtime)], { caller });
    const answer = await app.call('GET', path);
    await app.close();
    return answer;
  }
  it('shows what an Orb takes and gives, its providers, and that a run may start', async () => {
    const { status, value } = await ask('/orbs/acme.echo@1.0.0');
    expect(status).to.equal(200);
    expect(value).to.deep.equal({
      orb_id: 'acme.echo@1.0.0',
      namespace: 'acme',
      description: 'An Orb of the tests.',
      inputs: { text: { type: 'string', required: true } },
      outputs: { id: { type: 'string' } },
      providers: ['main'],
      ready: true,
      reason: null,
      fault: null,
      missing_secrets: [],
      orbisets: [{ orbiset: 'acme.support', ready: true, reason: null, missing_secrets: [] }],
    });
  });

  it('lists the tenant’s own Orbs and those that its Orbisets list, page by page', async () => {
    for (const name of ['b', 'c', 'a']) test.addOrb(`acme.${name}@1.0.0`);
    test.addOrb('shared.tool@1.0.0', {}, 'orb-system');
    test.addOrb('shared.other@1.0.0', {}, 'orb-system');
    test.addOrb('globex.theirs@1.0.0', {}, 'globex');
    test.addOrbiset('more', { orbs: ['shared.tool', 'globex.theirs', 'acme.absent@1.0.0'] });
    const all = ['acme.a@1.0.0', 'acme.b@1.0.0', 'acme.c@1.0.0', 'acme.echo@1.0.0', 'shared.tool@1.0.0'];
    expect(idsOf(await ask('/orbs'))).to.deep.equal(all);
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page = await ask(`/orbs?limit=2${cursor}`);
      found.push(...idsOf(page));
      const next = at(jsonOf(page.value), 'next_cursor');
      cursor = typeof next === 'string' ? `&cursor=${next}` : '';
    } while (cursor !== '');
    expect(found).to.deep.equal(all);
    const shared = await ask('/orbs/shared.tool@1.0.0');
    expect(shared.value).to.deep.nested.include({ namespace: 'orb-system', 'orbisets[0].orbiset': 'acme.more' });
    expect(shared.value).to.have.nested.property('orbisets.length', 1);
  });

  it('finds a part of an id or a description, in any case', async () => {
    test.addOrb('acme.mail@1.0.0', { manifest: { description: 'Sends a LETTER.' } });
    expect(idsOf(await ask('/orbs?q=MAIL'))).to.deep.equal(['acme.mail@1.0.0']);
    expect(idsOf(await ask('/orbs?q=letter'))).to.deep.equal(['acme.mail@1.0.0']);
    expect(idsOf(await ask('/orbs?q=nothing'))).to.deep.equal([]);
  });

  it('shows a key only the Orbs that it is limited to', async () => {
    test.addOrb('acme.mail@1.0.0');
    const limited = aCaller({ orbs: ['acme.mail'] });
    expect(idsOf(await ask('/orbs', limited))).to.deep.equal(['acme.mail@1.0.0']);
    expect((await ask('/orbs/acme.echo@1.0.0', limited)).code).to.equal('forbidden');
    expect((await ask('/orbs/acme.ecko@1.0.0', aCaller({ orbs: ['acme.ecko'] }))).value).to.not.have.property('errors');
  });

  it('names the secrets that a vault lacks, and their hosts', async () => {
    test.addOrb('acme.mail@1.0.0', { secret: 'MAIL_KEY' });
    const { value } = await ask('/orbs/acme.mail@1.0.0');
    expect(value).to.deep.include({ ready: false, reason: 'secret-missing', missing_secrets: ['MAIL_KEY'] });
    expect(value).to.have.deep.nested.property('orbisets[0]', {
      orbiset: 'acme.support',
      ready: false,
      reason: 'secret-missing',
      missing_secrets: [{ entry: 'MAIL_KEY', host: 'api.example.com' }],
    });
  });

  it('is ready when one of several Orbisets may run it, and says why the others may not', async () => {
    test.addOrbiset('resting', { suspended: true });
    const { value } = await ask('/orbs/acme.echo@1.0.0');
    expect(value).to.deep.include({ ready: true, reason: null });
    expect(value).to.have.nested.property('orbisets[0].reason', 'orbiset-suspended');
  });

  it('says that a secret may not go to the host of the Orb', async () => {
    test.addOrb('acme.far@1.0.0', { url: 'https://far.example/run' });
    expect((await ask('/orbs/acme.far@1.0.0')).value).to.deep.include({
      ready: false,
      reason: 'secret-host-not-allowed',
    });
  });

  it('shows its owner the fault of an Orb that never was valid, and the file', async () => {
    const entry = { name: 'x', compiled: undefined, createdAt: 0, fault: 'spec.url: Write https.', file: 'x.yaml' };
    test.catalog.setOrb({ ...entry, namespace: 'acme', orbId: orbId('acme.x@1.0.0') });
    test.catalog.setOrb({ ...entry, namespace: 'orb-system', orbId: orbId('shared.x@1.0.0') });
    test.addOrbiset('more', { orbs: ['shared.x'] });
    const never = { ready: false, reason: 'orb-not-ready', inputs: {}, outputs: {} };
    expect((await ask('/orbs/acme.x@1.0.0')).value).to.deep.include({
      ...never,
      fault: 'x.yaml: spec.url: Write https.',
    });
    expect((await ask('/orbs/shared.x@1.0.0')).value).to.deep.include({ ...never, fault: null });
  });

  it('says that a tenant without an Orbiset runs nothing', async () => {
    test.addOrb('globex.theirs@1.0.0', {}, 'globex');
    const { value } = await ask('/orbs/globex.theirs@1.0.0', aCaller({ tenants: ['globex'] }));
    expect(value).to.deep.include({ ready: false, reason: 'orbiset-not-found', orbisets: [] });
  });

  const refused: readonly [string, string, string][] = [
    ['a cursor of something else', '/orbs?cursor=bmV4dA', 'invalid-parameter'],
    ['an unknown parameter', '/orbs?orb=x', 'invalid-parameter'],
    ['a limit of 0', '/orbs?limit=0', 'invalid-parameter'],
    ['another tenant', '/orbs?namespace=globex', 'namespace-not-found'],
    ['an Orb of another tenant', '/orbs/globex.theirs@1.0.0', 'orb-not-found'],
    ['what is no id', '/orbs/echo', 'orb-not-found'],
  ];
  for (const [why, path, code] of refused)
    it(`refuses ${why}`, async () => {
      test.addOrb('globex.theirs@1.0.0', {}, 'globex');
      expect((await ask(path)).code).to.equal(code);
    });

  const meant = async (id: string): Promise<unknown> => {
    const { body, code } = await test.execute({ orbId: id });
    expect(code).to.equal('orb-not-found');
    return at(body, 'errors', '0', 'suggestion');
  };

  describe('an Orb that is not there', () => {
    it('suggests the highest version of this name, else of the nearest name that the caller can see', async () => {
      test.addOrb('acme.echo@1.10.0');
      test.addOrb('acme.echo@1.9.0');
      test.addOrb('globex.ekko@1.0.0', {}, 'globex');
      expect(await meant('acme.echo@7.0.0')).to.equal('acme.echo@1.10.0');
      expect(await meant('acme.ecko@1.0.0')).to.equal('acme.echo@1.10.0');
      expect(await meant('globex.ekko@1.0.1')).to.equal(undefined);
      const { value } = await ask('/orbs/acme.ecko@1.0.0');
      expect(value).to.have.deep.nested.property('errors[0]', {
        parameter: 'orb_id',
        code: 'orb-unknown',
        detail: 'There is no such Orb here.',
        suggestion: 'acme.echo@1.10.0',
      });
    });

    it('suggests the version that a malformed id lacks', async () => {
      const { code, body } = await test.execute({ orbId: 'acme.ecko' });
      expect([code, at(body, 'errors', '0', 'code')]).to.deep.equal(['invalid-inputs', 'orb-id-malformed']);
      expect(at(body, 'errors', '0', 'suggestion')).to.equal('acme.echo@1.0.0');
    });

    it('names the file of this id that is not valid, and its first fault', async () => {
      const source = { namespace: 'acme', place: 'mail.yaml:3', fault: 'Close the brace.' };
      test.catalog.setInvalid('files', [
        { ...source, ids: ['acme.mail@1.0.0'] },
        { ...source, namespace: 'globex', place: 'theirs.yaml:1', ids: ['acme.mail@1.0.0'] },
      ]);
      const { body } = await test.execute({ orbId: 'acme.mail@1.0.0' });
      expect(body['detail']).to.equal('mail.yaml:3 is not valid, so this Orb is not there: Close the brace.');
    });

    it('names the fault of the Orb that was meant, when its newest content is not valid', async () => {
      const before = test.catalog.orb('acme', orbId('acme.echo@1.0.0'));
      if (before === undefined) throw new Error('no Orb');
      test.catalog.setOrb({ ...before, createdAt: 0, fault: 'spec.orb_id: Write a version.' });
      const { body } = await test.execute({ orbId: 'acme.echo@1.0.1' });
      expect(body['detail']).to.include('Orb acme/acme.echo@1.0.0: spec.orb_id: Write a version.');
    });
  });
});
