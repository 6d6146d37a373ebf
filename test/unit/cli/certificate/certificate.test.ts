import { expect } from 'chai';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ORB = 'acme.mail@1.2.0';
const CERTIFICATE = {
  status: 'active',
  tier: 'gold',
  tier_status: 'at_risk',
  valid_from: '2026-11-20T00:03:11Z',
  valid_until: '2026-11-27T00:03:11Z',
  credential: {
    id: 'https://orbs.example/reputation/acme.mail@1.2.0/certificate#2026-11-20T00:03:11Z',
    credentialSubject: {
      manifest_digest: 'sha256:00',
      reputation_score: 96,
      evidence: { log_origin: 'orbs.example/log', tree_size: 184_467, as_of: '2026-11-20' },
      criteria_met: ['SCORE_GE_85', 'CALLERS_GE_20'],
    },
  },
  jwt: 'a.b.c',
  verification: { verdict: 'valid', code: 'ok' },
};
const missing = json(
  404,
  { code: 'certificate-not-issued', title: 'No certificate was issued yet', status: 404 },
  'application/problem+json',
);
const typed =
  (type: string, text: string): Answering =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

describe('orb certificate get', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['certificate', 'get', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('prints a certificate with what the server says of it', async () => {
    const { exit, out } = await orb(json(200, CERTIFICATE), ORB);
    expect(exit).to.equal(0);
    expect(server?.received[0]?.url).to.equal('/reputation/acme.mail%401.2.0/certificate');
    for (const text of ['gold, at risk', '96', 'SCORE_GE_85, CALLERS_GE_20', '184467 entries', 'valid (ok)'])
      expect(out).to.include(text);
  });

  it('prints it whole for machines', async () => {
    expect(JSON.parse((await orb(json(200, CERTIFICATE), ORB, '-o', 'json')).out)).to.deep.equal(CERTIFICATE);
  });

  it('prints the signed certificate alone', async () => {
    const { exit, out } = await orb(typed('application/vc+jwt', 'a.b.c'), ORB, '--jwt');
    expect([exit, out]).to.deep.equal([0, 'a.b.c']);
    expect(server?.received[0]?.headers.accept).to.equal('application/vc+jwt');
  });

  it('saves the bundle byte for byte', async () => {
    const file = join(cli.folder, 'certificate.json');
    const text = '{"format":"orb-bundle/1","jws":"a.b.c","tlog_proof":"proof","keys_jws":"k"}\n';
    const { exit, out } = await orb(typed('application/vnd.orb.bundle+json', text), ORB, '--bundle', file);
    expect([exit, out]).to.deep.equal([0, '']);
    expect(readFileSync(file, 'utf8')).to.equal(text);
  });

  it('says that the certificate is not in the log yet', async () => {
    const text = '{"format":"orb-bundle/1","jws":"a.b.c","tlog_proof":null,"keys_jws":"k"}\n';
    const { err } = await orb(typed('application/vnd.orb.bundle+json', text), ORB, '--bundle', '-');
    expect(err).to.include('the certificate is not in the log yet');
  });

  it('exits with 2 when there is none, in each form', async () => {
    for (const more of [[], ['--jwt'], ['--bundle', '-']]) {
      const { exit, out, err } = await orb(missing, ORB, ...more);
      expect([exit, out]).to.deep.equal([2, '']);
      expect(err).to.include('certificate-not-issued');
      await server?.close();
    }
  });

  it('refuses two forms, and what is no id', async () => {
    expect((await orb(missing, ORB, '--jwt', '--bundle', '-')).exit).to.equal(64);
    await server?.close();
    expect((await orb(missing, 'acme.mail')).exit).to.equal(2);
    expect(server?.received).to.deep.equal([]);
  });
});
