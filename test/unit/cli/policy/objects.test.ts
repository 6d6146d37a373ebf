import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const PROBLEM = 'application/problem+json';
const FILE = `apiVersion: orbs.dev/v1alpha1
kind: OrbPolicy
metadata:
  name: limits
  uid: u-1
  generation: 7
spec:
  rules:
    - name: tier
      effect: deny
      when: orb.teir_rank < 1
status:
  effectiveMode: Audit
`;

const policyOf = (generation = 1, some: object = {}): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: { name: 'limits', namespace: 'acme', uid: 'u-1', generation },
  spec: { mode: 'Enforce', rules: [{ name: 'tier', effect: 'deny', when: 'orb.tier_rank < 1' }] },
  status: {
    observedGeneration: 1,
    effectiveMode: 'Audit',
    tests: { passed: 2, failed: 0 },
    conditions: [{ type: 'Ready', status: 'True', message: 'This version compiles.' }],
  },
  ...some,
});
const missing = json(404, { code: 'policy-not-found', title: 'No such policy', status: 404 }, PROBLEM);
const withEtag =
  (value: unknown, etag = '"u-1.1"'): Answering =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', etag }).end(JSON.stringify(value));
/** An API that answers by method and path. */
const routes =
  (answers: Readonly<Record<string, Answering>>): Answering =>
  (request, response, count) =>
    (answers[`${request.method} ${request.url}`] ?? json(418, { code: 'unexpected', title: request.url }))(
      request,
      response,
      count,
    );
const listed = (...items: readonly object[]): Answering => json(200, { items, next_cursor: null });

describe('orb policy with an API', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['policy', ...argv, '--server', server.url]);
  };
  const asked = (): readonly string[] => (server?.received ?? []).map(({ method, url }) => `${method} ${url}`);
  const file = (text: string): string => {
    const path = join(cli.folder, 'p.yaml');
    writeFileSync(path, text);
    return path;
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('list', () => {
    it('shows what policies say and what holds, and the next page', async () => {
      const page = json(200, { items: [policyOf(), policyOf(2)], next_cursor: 'acme/limits' });
      const { exit, out, err } = await orb(page, 'list', '--mode', 'Enforce', '--limit', '2', '-n', 'acme');
      expect([exit, err]).to.deep.equal([0, 'more: --cursor acme/limits\n']);
      expect(asked()).to.deep.equal(['GET /policies?mode=Enforce&limit=2&namespace=acme']);
      expect(out.split('\n').map((line) => line.split(/ {2,}/))).to.deep.equal([
        ['POLICY', 'MODE', 'EFFECTIVE', 'READY', 'TESTS', 'GENERATION'],
        ['acme/limits', 'Enforce', 'Audit', 'True', '2 passed, 0 failed', '1'],
        ['acme/limits', 'Enforce', 'True', '2 passed, 0 failed', '2'],
        [''],
      ]);
    });

    it('prints names, and the answer whole', async () => {
      expect((await orb(listed(policyOf()), 'list', '-o', 'name')).out).to.equal('acme/limits\n');
      await server?.close();
      expect(JSON.parse((await orb(listed(policyOf()), 'list', '-o', 'json')).out)).to.deep.equal({
        items: [policyOf()],
        next_cursor: null,
      });
    });
  });

  describe('get', () => {
    it('finds a policy by its name alone, on any page, the own one before one of the platform', async () => {
      const ofPlatform = policyOf(1, {
        metadata: { name: 'limits', namespace: 'orb-system' },
        spec: { scope: 'Platform' },
      });
      const answer = routes({
        'GET /policies?limit=200': json(200, { items: [ofPlatform], next_cursor: 'a/b' }),
        'GET /policies?limit=200&cursor=a%2Fb': listed(policyOf()),
        'GET /policies/acme/limits': withEtag(policyOf()),
      });
      const { exit, out } = await orb(answer, 'get', 'limits');
      expect([exit, asked().at(-1)]).to.deep.equal([0, 'GET /policies/acme/limits']);
      expect(out)
        .to.match(/effective +Audit/)
        .and.to.match(/tier +deny +orb\.tier_rank < 1/);
      expect(out).to.match(/Ready +True +This version compiles\./);
    });

    for (const argv of [['acme/limits'], ['limits', '-n', 'acme']])
      it(`reads ${argv.join(' ')} without the list`, async () => {
        const { exit, out } = await orb(withEtag(policyOf()), 'get', ...argv, '-o', 'json');
        expect([exit, asked()]).to.deep.equal([0, ['GET /policies/acme/limits']]);
        expect(JSON.parse(out)).to.deep.equal(policyOf());
      });

    it('says that there is none', async () => {
      expect(await orb(listed(), 'get', 'limits')).to.deep.equal({
        exit: 2,
        out: '',
        err: 'orb: there is no policy limits\n     orb policy list shows those of your key\n',
      });
    });

    it('shows a problem of the list: a key of several tenants', async () => {
      const { exit, err } = await orb(
        json(409, { code: 'namespace-ambiguous', title: 'T', next: 'N' }, PROBLEM),
        'get',
        'a',
      );
      expect(exit).to.equal(2);
      expect(err).to.include('409 namespace-ambiguous: T\n').and.to.include('next: N\n');
    });

    for (const [name, flags] of [
      ['acme/limits', ['-n', 'other']],
      ['../x', []],
      ['a/b/c', []],
      ['Limits', []],
    ] as const)
      it(`does not take ${name} ${flags.join(' ')}`, async () => {
        expect((await orb(missing, 'get', name, ...flags)).exit).to.equal(64);
        expect(asked()).to.deep.equal([]);
      });
  });

  describe('apply', () => {
    it('creates what is not there, without what the server writes', async () => {
      const answer = routes({
        'GET /policies/acme/limits': missing,
        'POST /policies': json(201, policyOf()),
      });
      const { exit, out } = await orb(answer, 'apply', '-f', file(FILE), '-n', 'acme');
      expect([exit, out]).to.deep.equal([0, 'created    acme/limits: Enforce, and Audit holds\n']);
      expect(JSON.parse(server?.received[1]?.body ?? '')).to.deep.equal({
        apiVersion: 'orbs.dev/v1alpha1',
        kind: 'OrbPolicy',
        metadata: { name: 'limits', namespace: 'acme' },
        spec: { rules: [{ name: 'tier', effect: 'deny', when: 'orb.teir_rank < 1' }] },
      });
    });

    it('replaces exactly the version that it read', async () => {
      const answer = routes({
        'GET /policies/acme/limits': withEtag(policyOf()),
        'PUT /policies/acme/limits': withEtag(policyOf(2), '"u-1.2"'),
      });
      const { exit, out } = await orb(answer, 'apply', '-f', file(FILE), '-n', 'acme');
      expect([exit, out]).to.deep.equal([0, 'replaced   acme/limits: Enforce\n']);
      expect(server?.received[1]?.headers['if-match']).to.equal('"u-1.1"');
    });

    it('says that nothing changed', async () => {
      const answer = routes({
        'GET /policies/acme/limits': withEtag(policyOf()),
        'PUT /policies/acme/limits': withEtag(policyOf()),
      });
      const { out } = await orb(answer, 'apply', '-f', file(FILE), '-n', 'acme');
      expect(out).to.equal('unchanged  acme/limits: Enforce, and Audit holds\n');
    });

    it('lets the API choose the namespace of a policy that names none', async () => {
      const answer = routes({
        'POST /policies': json(409, { code: 'already-exists', title: 'T' }, PROBLEM),
        'GET /policies?limit=200': listed(policyOf()),
        'GET /policies/acme/limits': withEtag(policyOf()),
        'PUT /policies/acme/limits': withEtag(policyOf(2)),
      });
      expect((await orb(answer, 'apply', '-f', file(FILE), '-o', 'name')).out).to.equal('acme/limits\n');
      expect(asked()).to.have.length(4);
    });

    it('shows what is wrong with file, line and column', async () => {
      const errors = [{ pointer: '/spec/rules/0/when', code: 'unknown-fact', detail: 'orb.teir_rank: no' }];
      const path = file(FILE);
      const refused = json(422, { code: 'policy-invalid', title: 'T', next: 'N', errors }, PROBLEM);
      const { exit, err } = await orb(refused, 'apply', '-f', path);
      expect(exit).to.equal(2);
      expect(err).to.equal(
        `${path}:11:13: error unknown-fact /spec/rules/0/when: orb.teir_rank: no\norb: 422 policy-invalid: T\n     next: N\n`,
      );
    });

    it('ends at the first problem, and shows the change that another writer has to make', async () => {
      const elsewhere = {
        code: 'managed-elsewhere',
        title: 'T',
        manager: 'argocd',
        patch: { spec: { mode: 'Audit' } },
      };
      const answer = routes({
        'GET /policies/acme/limits': withEtag(policyOf()),
        'PUT /policies/acme/limits': json(409, elsewhere, PROBLEM),
      });
      const { exit, out, err } = await orb(answer, 'apply', '-f', file(`${FILE}---\n${FILE}`), '-n', 'acme');
      expect([exit, out, asked().length]).to.deep.equal([2, '', 2]);
      expect(err).to.include('0 of 2 policies are applied\n').and.to.include('patch {"spec":{"mode":"Audit"}}\n');
    });

    for (const [what, text] of [
      ['no policy', 'kind: Secret\n'],
      ['a document that is no YAML', 'a: [\n'],
      ['a kind that is misspelt', FILE.replace('kind: OrbPolicy', 'kind: OrbPolcy')],
    ] as const)
      it(`sends nothing of a file with ${what}`, async () => {
        expect((await orb(missing, 'apply', '-f', file(text))).exit).to.equal(2);
        expect(asked()).to.deep.equal([]);
      });

    it('needs a file, and one of the same namespace', async () => {
      expect((await orb(missing, 'apply')).exit).to.equal(64);
      await server?.close();
      const other = FILE.replace('  name: limits', '  name: limits\n  namespace: other');
      expect((await orb(missing, 'apply', '-f', file(other), '-n', 'acme')).exit).to.equal(64);
      expect(asked()).to.deep.equal([]);
    });
  });

  describe('delete', () => {
    const answer = routes({
      'GET /policies/acme/limits': withEtag(policyOf()),
      'DELETE /policies/acme/limits': (_request, response) => void response.writeHead(204).end(),
    });

    it('deletes exactly the version that it read', async () => {
      const { exit, out } = await orb(answer, 'delete', 'acme/limits', '--yes');
      expect([exit, out]).to.deep.equal([0, 'acme/limits deleted\n']);
      expect(server?.received[1]).to.include({ method: 'DELETE' });
      expect(server?.received[1]?.headers['if-match']).to.equal('"u-1.1"');
    });

    it('only shows what it would delete without --yes', async () => {
      const { exit, err } = await orb(answer, 'delete', 'acme/limits');
      expect([exit, asked()]).to.deep.equal([64, ['GET /policies/acme/limits']]);
      expect(err).to.include('nothing was deleted; it would be acme/limits: Enforce');
    });
  });
});
