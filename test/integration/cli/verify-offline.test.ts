import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCases, rootJwk } from '../../support/verify-cases.ts';
import {
  aBadge,
  aCertificateBundle,
  aJwt,
  aStatusList,
  keysFile,
  STATUS_INDEX,
} from '../../unit/core/verify/a-certificate.ts';
import { keys as world } from '../../unit/core/verify/a-world.ts';

const root = join(import.meta.dirname, '../../..');

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Whether a process can be started without any network; needs root, or user namespaces. */
const isolation = (): readonly string[] | undefined =>
  [
    ['unshare', '-n'],
    ['unshare', '-rn'],
  ].find(([program = '', ...flags]) => spawnSync(program, [...flags, 'true']).status === 0);

describe('orb in a process of its own', () => {
  let folder = '';
  const orb = (argv: readonly string[], wrapper: readonly string[] = []): Ended => {
    const [program = '', ...args] = [...wrapper, process.execPath, join(root, 'cli/orb.js'), ...argv];
    const env = { ...process.env, ORB_CONFIG_DIR: join(folder, 'config') };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
    return { status, out: stdout, err: stderr };
  };
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-offline-'));
    expect(orb(['trust', 'add', 'https://orbs.example', '--root', rootJwk]).status).to.equal(0);
  });
  after(() => rmSync(folder, { recursive: true }));

  const wrapper = isolation();
  const offline = wrapper === undefined ? it.skip : it;
  const skipped = wrapper === undefined ? ' (skipped: this user may not start a process without a network)' : '';
  offline(`gives every verdict and exit of the table with the network cut off${skipped}`, () => {
    for (const { id, bundle, flags, openings, now, expected } of bundleCases) {
      if (now !== undefined) continue; // asks for another time of day: test/unit/cli/verify
      const fields = openings.flatMap(({ field, value, salt }) => [
        `--${field}`,
        file(`${field}.json`, value),
        `--${field}-salt`,
        salt,
      ]);
      const { status, out, err } = orb(['verify', file('bundle.json', bundle), ...flags, ...fields, '--json'], wrapper);
      expect([id, status, err]).to.deep.equal([id, expected.exit, '']);
      expect(JSON.parse(out)).to.deep.include({ verdict: expected.verdict, code: expected.code, exit: expected.exit });
    }
  });

  offline(`verifies a certificate, its bundle and badge with the network cut off${skipped}`, () => {
    const facts = { issuedAt: Date.now() };
    const jwt = aJwt({ facts });
    const keyFlags = ['--keys', file('keys.json', keysFile()), '--root', JSON.stringify(world.root.jwk)];
    const listOf = (revoked: number): readonly string[] => [
      '--status-list',
      file('list.jwt', aStatusList({ ...facts, revoked })),
    ];
    const files = [
      ['cert.jwt', jwt],
      ['cert.json', JSON.stringify(aCertificateBundle({ facts }))],
      ['badge.svg', aBadge(jwt)],
    ] as const;
    for (const [name, content] of files) {
      const argv = ['verify', file(name, content), ...keyFlags, '--json'];
      const good = orb([...argv, ...listOf(STATUS_INDEX + 1)], wrapper);
      expect([name, good.status, good.err]).to.deep.equal([name, 0, '']);
      const revoked = orb([...argv, ...listOf(STATUS_INDEX)], wrapper);
      expect([name, revoked.status]).to.deep.equal([name, 3]);
      expect(JSON.parse(revoked.out)).to.include({ verdict: 'untrusted', code: 'revoked' });
    }
    const painted = aBadge(jwt).replaceAll('gold 96', 'platinum 99');
    expect(orb(['verify', file('painted.svg', painted), ...keyFlags], wrapper).status).to.equal(1);
  });

  it('ends by its exit code with machine output on stdout alone', () => {
    const { status, out, err } = orb(['vrify']);
    expect([status, out]).to.deep.equal([64, '']);
    expect(err).to.include('did you mean verify?');
    expect(orb(['--version']).out).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('ends quietly when its reader goes away', () => {
    const command = `"${process.execPath}" "${join(root, 'cli/orb.js')}" help | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect([stdout, stderr]).to.deep.equal(['0\n', '']);
  });

  it('says what is missing when Node is too old and no other one is there', () => {
    // The same file with a version that no Node has, so that the one at hand is too old.
    const text = readFileSync(join(root, 'cli/orb.js'), 'utf8').replace('[24, 11]', '[999, 0]');
    const { status, stderr } = spawnSync(process.execPath, [file('orb.mjs', text)], { encoding: 'utf8', env: {} });
    expect(status).to.equal(2);
    expect(stderr).to.include('needs Node.js 999.0 or newer').and.to.include('ORB_NODE');
  });
});
