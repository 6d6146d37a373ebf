import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const PROBLEM = 'application/problem+json';
const missing = json(404, { code: 'policy-not-found', title: 'No such policy', status: 404 }, PROBLEM);
const changed = json(200, {
  metadata: { name: 'limits', namespace: 'acme', generation: 2 },
  spec: { mode: 'Enforce', rules: [] },
  status: { observedGeneration: 1, effectiveMode: 'Audit' },
});

describe('orb policy with versions of an API', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['policy', ...argv, '--server', server.url]);
  };
  const asked = (): readonly string[] => (server?.received ?? []).map(({ method, url }) => `${method} ${url}`);
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('promote', () => {
    it('enforces a policy by a replay', async () => {
      const { exit, out } = await orb(changed, 'promote', 'acme/limits', '--replay', 'rpl_1');
      expect([exit, out]).to.deep.equal([0, 'acme/limits: Enforce\n']);
      expect(asked()).to.deep.equal(['POST /policies/acme/limits/promote']);
      expect(server?.received[0]?.body).to.equal('{"replay_id":"rpl_1"}');
    });

    it('ends with 1 when the gate is not met, with its limits', async () => {
      const gate = { passed: false, failing: [{ limit: 'maxNewDenies', allowed: 0, actual: 17 }] };
      const refused = json(409, { code: 'replay-gate-not-met', title: 'T', gate }, PROBLEM);
      const { exit, err } = await orb(refused, 'promote', 'acme/limits');
      expect(exit).to.equal(1);
      expect(err).to.include('limit maxNewDenies: 17, and 0 is the limit\n');
    });
  });

  describe('versions, rollback and coverage', () => {
    const version = {
      digest: DIGEST,
      generation: 4,
      at: '2026-11-20T09:00:00Z',
      by: 'key:k7Qp2xZa',
      mode: 'Audit',
      tests: { passed: 1, failed: 0 },
      replays: ['rpl_2', 'rpl_1'],
    };

    it('lists versions', async () => {
      const { out } = await orb(json(200, { items: [version] }), 'versions', 'acme/limits');
      expect(asked()).to.deep.equal(['GET /policies/acme/limits/versions']);
      expect(out).to.match(
        /^sha256:a+ +4 +2026-11-20T09:00:00Z +key:k7Qp2xZa +Audit +1 passed, 0 failed +rpl_2, rpl_1$/m,
      );
    });

    it('prints one version with its spec', async () => {
      const { out } = await orb(json(200, { ...version, spec: { rules: [] } }), 'versions', 'acme/limits', DIGEST);
      expect(asked()).to.deep.equal([`GET /policies/acme/limits/versions/${DIGEST}`]);
      expect(out).to.include(`digest: ${DIGEST}\n`).and.to.include('spec:\n  rules: []\n');
    });

    it('goes back to a version', async () => {
      const { exit, out } = await orb(changed, 'rollback', 'acme/limits', '--to', DIGEST);
      expect([exit, out]).to.deep.equal([0, 'acme/limits: Enforce\n']);
      expect(server?.received[0]?.body).to.equal(`{"digest":"${DIGEST}"}`);
    });

    it('asks for a whole digest before it calls the API', async () => {
      expect((await orb(missing, 'rollback', 'acme/limits')).exit).to.equal(64);
      await server?.close();
      expect((await orb(missing, 'versions', 'acme/limits', 'sha256:aa')).exit).to.equal(64);
      expect(asked()).to.deep.equal([]);
    });

    it('shows rules that never or always matched, and of how many decisions', async () => {
      const rules = [{ policy: 'acme/limits', rule: 'tier', coverage: 'never', matched: 0, failed: 3 }];
      const some = json(200, { days: 7, decisions: 10_000, complete: false, rules });
      const { out } = await orb(some, 'coverage', '--days', '7', '-n', 'acme');
      expect(asked()).to.deep.equal(['GET /policies/coverage?days=7&namespace=acme']);
      expect(out).to.match(/^acme\/limits +tier +never +0 +3\nof 10000 newest decisions of 7 days\n$/m);
      await server?.close();
      const none = json(200, { days: 30, decisions: 5, complete: true, rules: [] });
      expect((await orb(none, 'coverage')).out).to.equal('every rule matched in some of 5 decisions of 30 days\n');
    });
  });
});
