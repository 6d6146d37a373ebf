import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../../../../hack/control-plane/binaries.ts';
import { command } from '../../../../hack/control-plane/command.ts';
import { downloadBinaries, type Sources } from '../../../../hack/control-plane/download.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const NAMES = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'etcd'] as const;
const release = { kubernetes: '1.36.3', etcd: '3.7.3' };
const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const silent = (): void => undefined;

/** Programs that say their own name. */
const fill = (target: string, names: readonly string[] = NAMES): string => {
  mkdirSync(target, { recursive: true });
  for (const name of names) writeFileSync(join(target, name), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
  return target;
};

const sum = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');

describe('the programs of the control plane', () => {
  let folder = '';
  let server: Server | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-binaries-'));
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(folder, { recursive: true });
  });

  /** A server with an envtest archive, its index, and the controller manager. @param lie spoils one checksum */
  const publish = async (lie: 'archive' | 'binary' | 'none'): Promise<Sources> => {
    fill(join(folder, 'pack/controller-tools/envtest'), ['kube-apiserver', 'kubectl', 'etcd']);
    const name = `envtest-v1.36.3-${platform}.tar.gz`;
    await command('tar', ['-czf', join(folder, name), '-C', join(folder, 'pack'), 'controller-tools']);
    const archive = readFileSync(join(folder, name));
    const manager = Buffer.from('#!/bin/sh\necho kube-controller-manager\n');
    const files = new Map<string, Buffer>();
    const started = createServer((request, response) => {
      const found = files.get(request.url ?? '');
      response.writeHead(found === undefined ? 404 : 200);
      response.end(found);
    });
    server = started;
    const port = await listenOnLoopback(started);
    const base = `http://127.0.0.1:${port}`;
    const hash = lie === 'archive' ? 'a'.repeat(128) : sum('sha512', archive);
    const index = `releases:\n  v1.36.3:\n    ${name}:\n      hash: ${hash}\n      selfLink: ${base}/${name}\n`;
    files.set('/index', Buffer.from(index));
    files.set(`/${name}`, archive);
    const path = `/release/v1.36.3/bin/${platform.replace('-', '/')}/kube-controller-manager`;
    files.set(path, manager);
    files.set(`${path}.sha256`, Buffer.from(lie === 'binary' ? 'b'.repeat(64) : sum('sha256', manager)));
    return { envtestIndex: `${base}/index`, releases: `${base}/release` };
  };

  it('are those of KUBEBUILDER_ASSETS, and of the cache where that folder lacks one', async () => {
    const assets = fill(join(folder, 'assets'), ['kube-apiserver', 'kubectl', 'etcd']);
    const cached = fill(join(folder, `cache/v1.36.3-${process.platform}-${process.arch}`));
    const { paths } = await findBinaries({
      env: { KUBEBUILDER_ASSETS: assets },
      cache: join(folder, 'cache'),
      say: silent,
    });
    expect(paths.kubectl).to.equal(join(assets, 'kubectl'));
    expect(paths['kube-controller-manager']).to.equal(join(cached, 'kube-controller-manager'));
  });

  it('are downloaded into the cache when it is empty, and run', async () => {
    const sources = await publish('none');
    const { paths } = await findBinaries({ env: {}, cache: join(folder, 'cache'), say: silent, sources });
    for (const name of NAMES) expect((await command(paths[name], [])).stdout).to.equal(`${name}\n`);
  });

  for (const lie of ['archive', 'binary'] as const) {
    it(`are not kept when the checksum of the ${lie} differs from the published one`, async () => {
      const sources = await publish(lie);
      const target = join(folder, 'target');
      mkdirSync(target);
      const failure = await downloadBinaries(target, release, NAMES, { say: silent, sources }).then(
        () => 'no failure',
        (error: unknown) => String(error),
      );
      expect(failure).to.match(/its sha(?:512|256) is [0-9a-f]+, published is/);
      expect(readdirSync(target)).to.deep.equal([]);
    });
  }
});
