import { expect } from 'chai';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { imagePlace } from '../../hack/image/build-image.ts';
import { openImage, type ImageRoot, type Started } from '../support/image-root.ts';

const RECEIPT = 'rcpt_01a1f866-0dfa-7001-8000-000000001eef';
const repository = resolve(import.meta.dirname, '../..');
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const readJson = (path: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return isRecord(value) ? value : {};
};

/** Path below node_modules and `name@version` of every package that lies there. */
function installed(app: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const names = readdirSync(join(app, 'node_modules'), { recursive: true, encoding: 'utf8' });
  for (const path of names) {
    const place = /^((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path)?.[1];
    if (place === undefined) continue;
    const { name, version } = readJson(join(app, 'node_modules', path));
    found.set(`node_modules/${place}`, `${String(name)}@${String(version)}`);
  }
  return found;
}

async function until<T>(what: string, started: Started, poll: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 900; tries += 1) {
    const found = poll();
    if (found !== undefined) return found;
    if (started.child.exitCode !== null) break;
    await delay(100);
  }
  throw new Error(`${what} did not come:\n${started.output()}`);
}

describe('the image', () => {
  let image: ImageRoot;

  before(async () => {
    image = await openImage();
  });
  after(() => image.remove());

  describe('holds', () => {
    it('nothing of ours outside /app: no shell, no package manager', () => {
      expect(image.ownPaths.filter((path) => !path.startsWith('app/'))).to.deep.equal([]);
      const strangers = [
        'bin/sh',
        'bin/bash',
        'usr/bin/apt',
        'usr/bin/dpkg',
        'nodejs/bin/npm',
        'app/node_modules/.bin',
      ];
      expect(strangers.filter((path) => existsSync(join(image.folder, path)))).to.deep.equal([]);
    });

    it('compiled code only: no TypeScript, no source maps, no tests of ours', () => {
      expect(image.ownPaths.filter((path) => /\.([cm]?ts|map)$/.test(path))).to.deep.equal([]);
      expect(readdirSync(join(image.folder, 'app')).toSorted()).to.deep.equal(
        ['LICENSE', 'bin', 'dist', 'manifests', 'node_modules', 'package.json', 'sbom.cdx.json'].toSorted(),
      );
      expect(existsSync(join(image.folder, 'app/dist/image/main.js'))).to.equal(true);
    });

    it('files that belong to root, which its user can read and not write', () => {
      const unsafe = image.ownPaths.filter((path) => {
        const { uid, gid, mode } = lstatSync(join(image.folder, path));
        const isLink = lstatSync(join(image.folder, path)).isSymbolicLink();
        return uid !== 0 || gid !== 0 || (!isLink && (mode & 0o022) !== 0) || (mode & 0o004) === 0;
      });
      expect(unsafe).to.deep.equal([]);
      expect(image.config.user).to.equal('65532:65532');
    });

    it('exactly the packages that production needs by the lock', () => {
      const { packages } = readJson(join(repository, 'package-lock.json'));
      const wanted = Object.entries(isRecord(packages) ? packages : {}).filter(
        ([path, value]) => path !== '' && isRecord(value) && value['dev'] !== true && value['devOptional'] !== true,
      );
      expect([...installed(join(image.folder, 'app')).keys()].toSorted()).to.deep.equal(
        wanted.map(([path]) => path).toSorted(),
      );
    });

    it('a list of contents that names each of them, and Node, and nothing else', async () => {
      const file = join(image.folder, 'app/sbom.cdx.json');
      expect(readFileSync((await imagePlace()).sbomFile, 'utf8')).to.equal(readFileSync(file, 'utf8'));
      const { components } = readJson(file);
      const listed = (Array.isArray(components) ? components : []).map((value: unknown) =>
        isRecord(value) ? `${String(value['name'])}@${String(value['version'])}` : '',
      );
      const packages = new Set(installed(join(image.folder, 'app')).values());
      const node = readJson(join(repository, 'package.json'))['devDependencies'];
      const version = isRecord(node) ? String(node['node']) : '';
      expect(listed.toSorted()).to.deep.equal([...packages, `node@${version}`].toSorted());
    });

    it('a Node that starts its programs with the flags of the reference', () => {
      expect(image.config.entrypoint[0]).to.equal('/nodejs/bin/node');
      expect(image.config.entrypoint).to.include.members([
        '--disable-proto=delete',
        '--disable-sigusr1',
        '--max-old-space-size-percentage=75',
      ]);
      expect(image.config.env).to.include.members(['NODE_ENV=production', 'UV_THREADPOOL_SIZE=16']);
    });
  });

  describe('as user 65532 on a read-only root', () => {
    const calls: readonly (readonly [string, readonly string[], number, RegExp])[] = [
      ['prints the help of the operator', ['operator', '--help'], 0, /--probes-listen/],
      ['prints the help of the API', ['api', '--help'], 0, /--tls-cert/],
      ['prints the help of the command line', ['orb', '--help'], 0, /executes Orbs/],
      ['prints the help of the example provider', ['example-provider', '--help'], 0, /--token-file/],
      ['lists the programs', ['--help'], 0, /^ {2}example-provider /m],
      ['refuses to start nothing', [], 64, /no program is named/],
      ['refuses an unknown program', ['sh'], 64, /there is no program "sh"/],
      ['knows its version', ['orb', '--version'], 0, /^\d+\.\d+\.\d+/],
      ['gives wrong usage of a program its own exit code', ['operator', '--nonsense'], 64, /--nonsense/],
    ];
    for (const [what, args, code, text] of calls) {
      it(what, async () => {
        const started = image.start(args);
        expect([await started.ended, started.output()]).to.satisfy(
          ([ended, printed]: [number, string]) => ended === code && text.test(printed),
          started.output(),
        );
      });
    }

    it('executes the example Orb with a receipt, and ends cleanly when it is told to', async () => {
      const ready = join(image.data, 'ready.json');
      const ports = ['--listen=127.0.0.1:0', '--metrics-listen=127.0.0.1:0'];
      const started = image.start(['orb', 'dev', ...ports, '--data=/data/orb', '--ready-file=/data/ready.json']);
      const facts = await until('the ready file', started, () => (existsSync(ready) ? readJson(ready) : undefined));
      const answer = await fetch(`${String(facts['url'])}/orbisets/${String(facts['orbiset'])}/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${String(facts['api_key'])}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orb_id: facts['orb_id'], inputs: facts['inputs'] }),
      });
      const body = await answer.text();
      expect(answer.status, body).to.equal(200);
      expect(body).to.match(/rcpt_/);
      expect(statSync(join(image.data, 'orb')).uid).to.equal(65_532);
      await started.signal('SIGTERM');
      expect(await started.ended, started.output()).to.equal(0);
    });

    it('ends at once when a verb that waits for a server is told to', async () => {
      const silent = createServer();
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const asked = once(silent, 'connection');
      const started = image.start(['orb', 'receipts', 'get', RECEIPT, '--server', `http://127.0.0.1:${port}`]);
      await Promise.race([asked, started.ended]);
      await started.signal('SIGTERM');
      expect(await started.ended, started.output()).to.equal(143);
      silent.close();
    });

    it('stops the example provider, which answers until then', async () => {
      writeFileSync(join(image.data, 'token'), 'a-token');
      const started = image.start(['example-provider', '--listen=127.0.0.1:0', '--token-file=/data/token']);
      const url = await until('its address', started, () => /http:\/\/127\.0\.0\.1:\d+/.exec(started.output())?.[0]);
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      await started.signal('SIGTERM');
      expect(await started.ended, started.output()).to.equal(0);
    });
  });
});
