import { expect } from 'chai';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimText, readDnsProof } from '../../../../core/publication/dns-proof.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const CHALLENGE = {
  org: 'acme',
  namespace: 'team-a',
  nonce: 'n0nce',
  expires_at: '2026-11-21T10:00:00.000Z',
  sign: claimText('acme', 'team-a', 'n0nce'),
};
const claimed = json(201, CHALLENGE);
const CLAIM = ['org', 'claim', 'acme', '--domain', 'acme.com'];
const taken = json(409, { code: 'org-taken', title: 'Taken', status: 409 }, 'application/problem+json');

/** A claim, then its proof. */
const proving: Answering = (request, response, count) =>
  request.url.includes('/verify')
    ? json(200, { org: 'acme', state: 'verified' })(request, response, count)
    : claimed(request, response, count);

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

describe('orb org', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  let keyFile = '';
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    await server?.close();
    server = await aServer(answer);
    return cli.run([...argv, '--server', server.url]);
  };
  const body = (at: number): unknown => JSON.parse(server?.received[at]?.body ?? '');
  const isSigned = (signature: unknown): boolean =>
    typeof signature === 'string' &&
    verify(
      null,
      Buffer.from(CHALLENGE.sign),
      createPublicKey(readFileSync(keyFile, 'utf8')),
      Buffer.from(signature, 'base64'),
    );
  beforeEach(() => {
    cli = aCli();
    keyFile = join(cli.folder, 'acme.pem');
  });
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('claim', () => {
    it('makes a key for its owner alone, and prints the record that proves it and the signature', async () => {
      const { exit, out } = await orb(claimed, ...CLAIM, '--new-key', keyFile, '-n', 'team-a', '-o', 'json');
      expect(exit).to.equal(0);
      expect(server?.received[0]?.url).to.equal('/marketplace/orgs?namespace=team-a');
      expect(body(0)).to.deep.equal({ org: 'acme', proof: 'dns', domain: 'acme.com' });
      expect(statSync(keyFile).mode & 0o777).to.equal(0o600);
      const printed = parsed(out);
      expect(printed).to.deep.include({ ...CHALLENGE, txt_name: 'acme.com' });
      const { x } = createPublicKey(readFileSync(keyFile, 'utf8')).export({ format: 'jwk' });
      expect(readDnsProof(String(printed['txt_record']), 'acme')).to.equal(
        Buffer.from(x ?? '', 'base64url').toString('base64'),
      );
      expect(isSigned(printed['signature'])).to.equal(true);
      expect(out).not.to.include('PRIVATE');
    });

    it('prints record, text and next step for people', async () => {
      const { out, err } = await orb(claimed, ...CLAIM, '--new-key', keyFile);
      expect(out).to.match(/TXT record at +acme\.com\n +value +v=ORBv1; org=acme; k=ed25519; p=[A-Za-z0-9+/]{43}=\n/);
      expect(out).to.include('"orb-org-claim\\nacme\\nteam-a\\nn0nce"');
      expect(err).to.include(`orb org verify acme --domain acme.com --key ${keyFile}`);
    });

    it('works without a key of its own', async () => {
      const { exit, out, err } = await orb(claimed, ...CLAIM);
      expect(exit).to.equal(0);
      expect(out).to.include('p=<base64 of the Ed25519 public key>').and.not.to.include('signature');
      expect(err).to.include('orb org verify acme --signature BASE64');
    });

    it('overwrites no key, and asks nothing then', async () => {
      writeFileSync(keyFile, 'precious');
      const { exit, err } = await orb(claimed, ...CLAIM, '--new-key', keyFile);
      expect([exit, server?.received.length]).to.deep.equal([2, 0]);
      expect(err).to.include('it exists already');
      expect(readFileSync(keyFile, 'utf8')).to.equal('precious');
    });

    it('prints a refusal, exit 2', async () => {
      const { exit, err } = await orb(taken, ...CLAIM);
      expect(exit).to.equal(2);
      expect(err).to.include('409 org-taken');
    });

    it('needs a domain, and one key at most', async () => {
      expect((await orb(claimed, 'org', 'claim', 'acme')).exit).to.equal(64);
      expect((await orb(claimed, ...CLAIM, '--key', keyFile, '--new-key', keyFile)).exit).to.equal(64);
      expect(existsSync(keyFile)).to.equal(false);
    });
  });

  describe('verify', () => {
    const VERIFY = ['org', 'verify', 'acme', '--domain', 'acme.com'];

    it('signs a new challenge with the key of the claim', async () => {
      await orb(claimed, ...CLAIM, '--new-key', keyFile);
      const { exit, out } = await orb(proving, ...VERIFY, '--key', keyFile);
      expect([exit, out]).to.deep.equal([0, 'acme is verified\n']);
      expect(server?.received.map(({ url }) => url)).to.deep.equal([
        '/marketplace/orgs',
        '/marketplace/orgs/acme/verify',
      ]);
      const sent = body(1);
      expect(sent).to.have.all.keys('signature');
      expect(isSigned(typeof sent === 'object' && sent !== null && 'signature' in sent ? sent.signature : '')).to.equal(
        true,
      );
    });

    it('sends a signature that was made elsewhere', async () => {
      const { exit } = await orb(proving, 'org', 'verify', 'acme', '--signature', 'c2ln', '-n', 'team-a');
      expect(exit).to.equal(0);
      expect(server?.received.map(({ url }) => url)).to.deep.equal(['/marketplace/orgs/acme/verify?namespace=team-a']);
      expect(body(0)).to.deep.equal({ signature: 'c2ln' });
    });

    it('stops when the claim is refused', async () => {
      await orb(claimed, ...CLAIM, '--new-key', keyFile);
      const { exit } = await orb(taken, ...VERIFY, '--key', keyFile);
      expect([exit, server?.received.length]).to.deep.equal([2, 1]);
    });

    it('refuses what is no Ed25519 key, before it asks', async () => {
      writeFileSync(keyFile, 'no key');
      expect((await orb(proving, ...VERIFY, '--key', keyFile)).err).to.include('no private key in PEM');
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      const { exit, err } = await orb(proving, ...VERIFY, '--key', keyFile);
      expect([exit, server?.received.length]).to.deep.equal([2, 0]);
      expect(err).to.include('no Ed25519 key');
    });

    it('asks for another look at a proven record without either', async () => {
      expect((await orb(proving, 'org', 'verify', 'acme')).exit).to.equal(0);
      expect(body(0)).to.deep.equal({});
    });

    it('takes a key or a signature, not both', async () => {
      expect((await orb(proving, ...VERIFY, '--key', keyFile, '--signature', 'x')).exit).to.equal(64);
    });
  });

  it('show prints what is proven', async () => {
    const since = '2026-11-20T10:00:00.000Z';
    const org = { org: 'acme', state: 'verified', proof: 'dns', domain: 'acme.com', since, published: 3 };
    const { out } = await orb(json(200, org), 'org', 'show', 'acme');
    expect(out).to.match(
      /state +verified since 2026-11-20T10:00:00.000Z\nproof +dns of acme\.com\npublished +3 versions\n/,
    );
    expect(JSON.parse((await orb(json(200, org), 'org', 'show', 'acme', '-o', 'json')).out)).to.deep.equal(org);
    expect(server?.received[0]).to.deep.include({ method: 'GET', url: '/marketplace/orgs/acme' });
  });

  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['restore', 'restored'],
  ] as const) {
    it(`${verb} sends the status with the reason`, async () => {
      const done = json(200, { org: 'acme', status, log: { index: 5 } });
      const { exit, out } = await orb(done, 'org', verb, 'acme', '--reason', 'because');
      expect([exit, out]).to.deep.equal([0, `acme is ${status} (entry 5 of the log)\n`]);
      expect(server?.received[0]?.url).to.equal('/marketplace/orgs/acme/status');
      expect(body(0)).to.deep.equal({ status, reason: 'because' });
    });
  }
});
