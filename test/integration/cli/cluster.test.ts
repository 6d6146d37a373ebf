import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadKeys } from '../../../adapters/keys/load-keys.ts';
import { parseApiKey } from '../../../core/api-key/format.ts';
import { parseApiKeyRecord } from '../../../core/api-key/record.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { anOrbProcess, type OrbEnded, type OrbProcess } from '../../support/orb-process.ts';

const NAMESPACE = 'orb-cli-test';

const itemsIn = (text: string): readonly JsonObject[] => {
  const { items } = objectIn(text);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
};
const objectIn = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
};
const dataOf = (secret: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isJsonObject(secret['data']) ? secret['data'] : {}).map(([name, value]) => [
      name,
      Buffer.from(typeof value === 'string' ? value : '', 'base64').toString('utf8'),
    ]),
  );

describe('orb on a cluster', function cluster() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let orb: OrbProcess;
  const admin = (): readonly string[] => ['--kubeconfig', plane.users.admin.kubeconfig];
  const platform = (): readonly string[] => [...admin(), '--platform-namespace', NAMESPACE];
  const run = (argv: readonly string[], stdin = ''): Promise<OrbEnded> => orb.run(argv, { stdin });
  const secret = async (name: string): Promise<JsonObject> =>
    objectIn(await kubectlOk(plane, ['get', 'secret', name, '-n', NAMESPACE, '-o', 'json']));

  const init = (...more: readonly string[]): Promise<OrbEnded> =>
    run(['ledger', 'init', '--secret', '-n', NAMESPACE, ...admin(), ...more]);
  const inVault = (...argv: readonly string[]): readonly string[] => ['secrets', ...argv, '-n', NAMESPACE, ...admin()];
  const orbiset = async (): Promise<JsonObject> =>
    objectIn(await kubectlOk(plane, ['get', 'orbiset', 'default', '-n', NAMESPACE, '-o', 'json']));
  const bindings = async (): Promise<unknown> => {
    const { spec } = await orbiset();
    const vault = isJsonObject(spec) && isJsonObject(spec['vault']) ? spec['vault'] : {};
    return vault['secrets'];
  };
  /** Runs a printed line as a person who pastes it would. */
  const paste = async (line: string): Promise<void> => {
    const [, input, patch] = /^(?:echo '(.*)' \| )?kubectl .*?(?: -p '(.*)')?\n$/.exec(line) ?? [];
    if (input !== undefined) await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], input);
    else await kubectlOk(plane, ['patch', 'orbiset', 'default', '-n', NAMESPACE, '--type', 'json', '-p', patch ?? '']);
  };

  before(async () => {
    plane = await sharedControlPlane();
    orb = anOrbProcess();
    await kubectlOk(plane, ['create', 'namespace', NAMESPACE]);
  });
  after(async () => {
    await kubectlOk(plane, ['delete', 'namespace', NAMESPACE, '--wait=false']);
    rmSync(orb.folder, { recursive: true });
  });

  describe('ledger init --secret', () => {
    it('makes the keys once: the Secret, mounted, is a key folder, and the root is pinned by the printed line', async () => {
      const made = await init('--issuer', 'https://orbs.example');
      expect(made.status, made.err).to.equal(0);
      const folder = join(orb.folder, 'mounted');
      mkdirSync(folder);
      for (const [name, text] of Object.entries(dataOf(await secret('orb-platform-keys'))))
        writeFileSync(join(folder, name), text, { mode: 0o440 });
      const keys = await loadKeys(folder);
      expect(keys.issuer).to.equal('https://orbs.example');
      const [, issuer = '', jwk = ''] = /^.*trust add (\S+) --root '(.+)'\n$/.exec(made.out) ?? [];
      expect((await run(['trust', 'add', issuer, '--root', jwk])).out).to.equal(`${issuer}  root ${keys.root.kid}\n`);
    });

    it('keeps them when it runs again, without the private root too, and refuses another issuer', async () => {
      const before = await secret('orb-platform-keys');
      const again = await init('--issuer', 'https://orbs.example');
      expect([again.status, again.err.includes('kept')]).to.deep.equal([0, true]);
      expect((await init('--issuer', 'https://other.example')).status).to.equal(2);
      expect(await secret('orb-platform-keys')).to.deep.equal(before);
      const line = again.err.split('\n').find((text) => text.includes(' patch secret ')) ?? '';
      const [, patch = ''] = /-p '(.*)'/.exec(line) ?? [];
      await kubectlOk(plane, ['patch', 'secret', 'orb-platform-keys', '-n', NAMESPACE, '--type', 'json', '-p', patch]);
      const without = await init();
      expect([without.status, without.err.includes('offline')]).to.deep.equal([0, false]);
    });

    it('refuses a Secret that is not complete, and changes nothing of it', async () => {
      await kubectlOk(plane, ['create', 'secret', 'generic', 'half', '-n', NAMESPACE, '--from-literal', 'root.jwk=x']);
      const { status, out, err } = await init('half');
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.include(`root.jwk in the Secret ${NAMESPACE}/half`);
      expect(Object.keys(dataOf(await secret('half')))).to.deep.equal(['root.jwk']);
    });

    it('makes one set of keys when two run at once', async () => {
      const both = await Promise.all([init('rivals'), init('rivals')]);
      expect(both.map(({ status }) => status)).to.deep.equal([0, 0]);
      expect(both[0].out).to.equal(both[1].out);
    });

    it('says that the namespace is missing, and what makes it', async () => {
      const { status, err } = await run(['ledger', 'init', '--secret', '-n', 'nowhere', ...admin()]);
      expect(status).to.equal(2);
      expect(err).to.include('kubectl create namespace nowhere');
    });
  });

  describe('keys', () => {
    it('are labelled Secrets that hold hashes, listed by what they may do, and gone when revoked', async () => {
      const created = await run(['keys', 'create', '--tenant', 'acme', '--expires', '12h', ...platform()]);
      expect(created.status, created.err).to.equal(0);
      const key = parseApiKey(created.out.trim());
      const text = await kubectlOk(plane, [
        'get',
        'secrets',
        '-n',
        NAMESPACE,
        '-l',
        'orbs.dev/api-key=true',
        '-o',
        'json',
      ]);
      const [stored = {}] = itemsIn(text);
      const record = parseApiKeyRecord(stored);
      expect(record.ok && [record.value.keyId, record.value.tenants]).to.deep.equal([key?.keyId, ['acme']]);
      expect(JSON.stringify(Object.values(dataOf(stored)))).not.to.include(created.out.trim().slice(13, 45));

      expect((await run(['keys', 'list', '-o', 'name', ...platform()])).out).to.equal(`${key?.keyId}\n`);
      expect((await run(['keys', 'revoke', key?.keyId ?? '', ...platform()])).status).to.equal(0);
      expect((await run(['keys', 'list', '-o', 'name', ...platform()])).out).to.equal('');
      expect((await run(['keys', 'revoke', key?.keyId ?? '', ...platform()])).status).to.equal(2);
    });

    it('are not made by who may not, who reads what to ask for', async () => {
      const tenant = ['--kubeconfig', plane.users['tenant-a'].kubeconfig, '--platform-namespace', NAMESPACE];
      const { status, out, err } = await run(['keys', 'create', '--tenant', 'acme', ...tenant]);
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.include('kubectl auth can-i --list');
    });
  });

  it('is found by kubectl as its plugin, and names itself so in the lines to copy', async () => {
    const bin = join(orb.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(join(import.meta.dirname, '../../../cli/kubectl-orb.js'), join(bin, 'kubectl-orb'));
    const env = { HOME: orb.folder, PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    const ran = spawnSync(plane.kubectlPath, ['orb', 'ledger', 'init', '--data', 'plugin'], { cwd: orb.folder, env });
    expect(ran.status, ran.stderr.toString()).to.equal(0);
    expect(ran.stdout.toString()).to.match(/^kubectl orb trust add https:/);
  });

  describe('secrets', () => {
    it('are written from standard input, and the printed line makes the Orbiset that binds them', async () => {
      const set = await run(inVault('set', 'SENDGRID_API_KEY', '--host', 'api.sendgrid.com'), 'SG.value-of-it\n');
      expect(set.status, set.err).to.equal(0);
      expect(dataOf(await secret('sendgrid-api-key'))).to.deep.equal({ SENDGRID_API_KEY: 'SG.value-of-it' });
      expect(`${set.out}${set.err}`).not.to.include('SG.value');
      await paste(set.out);
      expect(await bindings()).to.deep.equal([
        { name: 'sendgrid-api-key', allowedHosts: ['api.sendgrid.com'], keys: ['SENDGRID_API_KEY'] },
      ]);
    });

    it('of one Secret stay when another key of it is set, and the line binds the new one beside the old', async () => {
      const more = inVault('set', 'MAIL_FROM', '--host', 'api.sendgrid.com', '--secret', 'sendgrid-api-key');
      const { out } = await run(more, 'me@acme.example');
      expect(dataOf(await secret('sendgrid-api-key'))).to.deep.equal({
        MAIL_FROM: 'me@acme.example',
        SENDGRID_API_KEY: 'SG.value-of-it',
      });
      await paste(out);
      expect(await bindings()).to.deep.equal([
        { name: 'sendgrid-api-key', allowedHosts: ['api.sendgrid.com'], keys: ['SENDGRID_API_KEY', 'MAIL_FROM'] },
      ]);
    });

    it('are bound by --bind, replaced where they are, and listed with hosts and without values', async () => {
      const set = (value: string): Promise<OrbEnded> =>
        run(inVault('set', 'MAILGUN_KEY', '--host', '*.mailgun.net', '--bind'), value);
      expect([(await set('first-value')).out, (await set('second-value')).status]).to.deep.equal(['', 0]);
      expect(dataOf(await secret('mailgun-key'))).to.deep.equal({ MAILGUN_KEY: 'second-value' });
      const listed = await run(inVault('list', '-o', 'json'));
      expect(objectIn(listed.out)['secrets']).to.deep.include({
        name: 'MAILGUN_KEY',
        hosts: ['*.mailgun.net'],
        namespace: NAMESPACE,
        orbiset: 'default',
        secret: 'mailgun-key',
        state: 'unknown',
      });
      const all = await run(['secrets', 'list', '-A', ...admin()]);
      expect(all.out).to.include('MAILGUN_KEY').and.to.include(NAMESPACE).and.not.to.include('second-value');
    });

    it('are refused before the value is read where hosts of others would change', async () => {
      const { status, err } = await run(
        inVault('set', 'OTHER', '--host', 'evil.example', '--secret', 'sendgrid-api-key'),
        'never-written',
      );
      expect(status).to.equal(2);
      expect(err).to.include('all its values share these hosts');
      expect(Object.keys(dataOf(await secret('sendgrid-api-key')))).not.to.include('OTHER');
    });

    it('are removed, with the Secret that held nothing else, and unbound', async () => {
      expect((await run(inVault('remove', 'MAILGUN_KEY', '--bind'))).status).to.equal(0);
      expect((await plane.kubectl(['get', 'secret', 'mailgun-key', '-n', NAMESPACE])).code).to.equal(1);
      await paste((await run(inVault('remove', 'SENDGRID_API_KEY'))).out);
      expect(dataOf(await secret('sendgrid-api-key'))).to.deep.equal({ MAIL_FROM: 'me@acme.example' });
      expect(await bindings()).to.deep.equal([
        { name: 'sendgrid-api-key', allowedHosts: ['api.sendgrid.com'], keys: ['MAIL_FROM'] },
      ]);
    });
  });
});
