import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const item = (orbId: string, some: object = {}): object => ({
  orb_id: orbId,
  org: 'acme',
  name: orbId.split('@')[0],
  version: orbId.split('@')[1],
  description: 'Sends mail.',
  provider: 'main',
  capabilities: ['message.email.send', 'http.call'],
  certification_tier: 'gold',
  tier_status: 'stable',
  reputation_score: 96,
  score_bp: 9612,
  confidence: 'high',
  status: 'active',
  manifest_digest: 'sha256:00',
  publisher: { org: 'acme', verified: true, proof: 'dns', since: '2026-10-01T00:00:00.000Z' },
  published_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
  links: {},
  ...some,
});

const page = (items: readonly object[], next: string | null = null): object => ({
  items,
  total: 137,
  limit: 20,
  offset: 0,
  next,
});

/** One Orb a page: another one first, then the wanted one. */
const pages: Answering = (request, response, count) => {
  const found = count === 1 ? page([item('acme.mail.old@1.0.0')], '/next') : page([item('acme.mail@1.0.0')]);
  json(200, found)(request, response, count);
};

describe('orb marketplace', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['marketplace', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('list', () => {
    it('prints a line for each Orb', async () => {
      const orbs = page([item('acme.mail@1.0.0'), item('acme.sms@1.0.0', { tier_status: 'at_risk' })]);
      const { exit, out, err } = await orb(json(200, orbs), 'list');
      expect([exit, err]).to.deep.equal([0, '']);
      expect(out.split('\n').slice(0, 3)).to.deep.equal([
        'ORB              TIER          SCORE  STATUS  VERIFIED  DESCRIPTION',
        'acme.mail@1.0.0  gold          96     active  yes       Sends mail.',
        'acme.sms@1.0.0   gold at risk  96     active  yes       Sends mail.',
      ]);
      expect(server?.received[0]?.url).to.equal('/marketplace/orbs');
    });

    it('sends every filter as the API has it', async () => {
      const argv = [
        'mail & more',
        '--tier',
        'gold,silver',
        '--min-tier',
        'silver',
        '--capability',
        'text.',
        '--latest',
      ];
      const more = ['--org', 'acme', '--status', 'yanked', '--sort', 'name', '--limit', '5', '--offset', '10'];
      await orb(json(200, page([])), 'list', ...argv, ...more, '--updated-since', '2026-11-20T10:00:00Z');
      const query = new URL(server?.received[0]?.url ?? '', 'http://x').searchParams;
      expect(Object.fromEntries(query)).to.deep.equal({
        q: 'mail & more',
        tier: 'gold,silver',
        min_tier: 'silver',
        capability: 'text.',
        latest: 'true',
        org: 'acme',
        status: 'yanked',
        sort: 'name',
        limit: '5',
        offset: '10',
        updated_since: '2026-11-20T10:00:00Z',
      });
    });

    it('says how to get the next page', async () => {
      const orbs = page([item('acme.mail@1.0.0')], '/marketplace/orbs?limit=20&offset=20');
      expect((await orb(json(200, orbs), 'list')).err).to.equal('1 of 137; more: --offset 20\n');
    });

    it('prints the page for machines, or only names', async () => {
      const orbs = page([item('acme.mail@1.0.0')]);
      expect(JSON.parse((await orb(json(200, orbs), 'list', '-o', 'json')).out)).to.deep.equal(orbs);
      await server?.close();
      expect((await orb(json(200, orbs), 'list', '-o', 'name')).out).to.equal('acme.mail@1.0.0\n');
    });

    it('shortens a description, and keeps what a terminal acts on out of it', async () => {
      const orbs = page([item('acme.mail@1.0.0', { description: `\u001b[31m${'x'.repeat(100)}` })]);
      const { out } = await orb(json(200, orbs), 'list');
      expect(out).to.include('\\u001b[31m').and.to.include('…');
      expect(out).not.to.include('\u001b');
    });

    it('prints a problem with the parameter, exit 2', async () => {
      const errors = [{ parameter: 'tier', code: 'parameter-malformed', detail: 'Expected: one of bronze.' }];
      const problem = { code: 'invalid-parameter', title: 'Wrong', status: 400, errors };
      const { exit, out, err } = await orb(json(400, problem, 'application/problem+json'), 'list', '--tier', 'plaid');
      expect([exit, out]).to.deep.equal([2, '']);
      expect(err).to.include('tier  parameter-malformed: Expected: one of bronze.');
    });

    it('knows no other format', async () => {
      expect((await orb(json(200, page([])), 'list', '-o', 'wide')).exit).to.equal(64);
    });
  });

  describe('show', () => {
    it('prints what is known of a version, in any status', async () => {
      const orbs = page([item('acme.mail@0.9.0'), item('acme.mail@1.0.0')]);
      const { exit, out } = await orb(json(200, orbs), 'show', 'acme.mail@1.0.0');
      expect(exit).to.equal(0);
      for (const text of [
        'acme.mail@1.0.0',
        'gold',
        '96 (9612 of 10000), confidence high',
        'message.email.send, http.call',
      ])
        expect(out).to.include(text);
      expect(out).to.match(/publisher +acme, verified by dns since 2026-10-01/);
      const query = new URL(server?.received[0]?.url ?? '', 'http://x').searchParams;
      expect(Object.fromEntries(query)).to.deep.equal({
        q: 'acme.mail',
        sort: 'name',
        limit: '100',
        status: 'active,deprecated,yanked,suspended',
        offset: '0',
      });
    });

    it('looks on the next pages too', async () => {
      expect((await orb(pages, 'show', 'acme.mail@1.0.0', '-o', 'json')).exit).to.equal(0);
      expect(server?.received[1]?.url).to.include('offset=100');
    });

    it('shows the highest active version of a name', async () => {
      const orbs = page([item('acme.mail@1.0.0', { publisher: { org: 'acme', verified: false } })]);
      const { out } = await orb(json(200, orbs), 'show', 'acme.mail');
      expect(out).to.match(/publisher +acme, not verified/);
      expect(server?.received[0]?.url).to.include('latest=true').and.not.to.include('status=');
    });

    it('says that there is none, exit 2', async () => {
      const { exit, err } = await orb(json(200, page([item('acme.mailer@1.0.0')])), 'show', 'acme.mail@1.0.0');
      expect(exit).to.equal(2);
      expect(err).to.include('acme.mail@1.0.0: no such published version');
    });

    it('refuses what is no id before it asks, exit 2', async () => {
      expect((await orb(json(200, page([])), 'show', 'acme@x')).exit).to.equal(2);
      expect(server?.received).to.deep.equal([]);
    });
  });
});
