import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findBinaries } from '../../../../hack/control-plane/binaries.ts';
import { buildBinaries } from '../../../../hack/control-plane/build.ts';
import { buildEstimate, buildOrder } from '../../../../hack/control-plane/build-order.ts';

const release = { kubernetes: '1.36.3', etcd: '3.7.3' };
const ALL = ['kubectl', 'kube-apiserver', 'etcd', 'kube-controller-manager'] as const;

describe('the build of the control plane', () => {
  let folder = '';
  const path = process.env['PATH'] ?? '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-build-'));
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });

  /** Puts a program before all others on the PATH. */
  const program = (name: string, text: string): void => {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
    process.env['PATH'] = `${join(folder, 'bin')}${delimiter}${path}`;
  };
  /** A Go toolchain that builds empty programs. @param fails the program that can't be built */
  const fakeGo = (fails = 'nothing'): void => {
    writeFileSync(join(folder, 'go.mod'), 'module k\n');
    program(
      'go',
      `case "$1" in
  version) echo "go version go1.24" ;;
  list) printf '{"GoMod":"%s"}' "${folder}/go.mod" ;;
  build) while [ "$1" != "-o" ]; do shift; done
    case "$2" in */${fails}) echo "out of memory" >&2; exit 1 ;; esac
    touch "$2" ;;
esac`,
    );
  };

  it('tells a line for each program, etcd first and kubectl last', async () => {
    fakeGo();
    const said: string[] = [];
    await buildBinaries(folder, release, ALL, (line) => said.push(line));
    expect(said[0]).to.match(/^Building etcd, kube-apiserver, kube-controller-manager, kubectl .*up to \d+ minutes on/);
    expect(said.filter((line) => line.endsWith(' …'))).to.deep.equal([
      '  [1/4] building etcd …',
      '  [2/4] building kube-apiserver …',
      '  [3/4] building kube-controller-manager …',
      '  [4/4] building kubectl …',
    ]);
    expect(said.filter((line) => /^ {2}\[\d\/4\] building \S+: \d+ s$/.test(line))).to.have.lengthOf(4);
    for (const name of ALL) expect(existsSync(join(folder, name)), name).to.equal(true);
  });

  it('keeps what is complete when a later program can not be built', async () => {
    fakeGo('kubectl');
    const failure = await buildBinaries(folder, release, ALL, () => undefined).then(
      () => 'built',
      (error: unknown) => String(error),
    );
    expect(failure).to.include('building kubectl failed').and.include('out of memory');
    expect(ALL.filter((name) => existsSync(join(folder, name)))).to.deep.equal([
      'kube-apiserver',
      'etcd',
      'kube-controller-manager',
    ]);
  });

  it('does not wait for a kubectl when the person has one that fits', async () => {
    const cache = join(folder, 'cache');
    const cached = join(cache, `v1.36.3-${process.platform}-${process.arch}`);
    mkdirSync(cached, { recursive: true });
    for (const name of ['kube-apiserver', 'kube-controller-manager', 'etcd'])
      writeFileSync(join(cached, name), '#!/bin/sh\n', { mode: 0o755 });
    const found = async (minor: number): Promise<unknown> => {
      program('kubectl', `echo '{"clientVersion":{"gitVersion": "v1.${minor}.0"}}'`);
      fakeGo('kubectl');
      const env = { PATH: process.env['PATH'] };
      const nowhere = { envtestIndex: 'http://127.0.0.1:1/', releases: 'http://127.0.0.1:1/' };
      return findBinaries({ env, cache, say: () => undefined, sources: nowhere }).then(
        ({ paths }) => paths.kubectl,
        () => 'it has to be built',
      );
    };
    expect([await found(35), await found(37), await found(33)]).to.deep.equal([
      'kubectl',
      'kubectl',
      'it has to be built',
    ]);
  });

  it('builds only what is wanted, each once', () => {
    expect(buildOrder(['kubectl', 'etcd', 'etcd'])).to.deep.equal(['etcd', 'kubectl']);
  });

  const estimates: readonly [number, number, string][] = [
    [4, 2, 'up to 24 minutes on 2 cores'],
    [4, 1, 'up to 48 minutes on 1 core'],
    [4, 32, 'up to 5 minutes on 32 cores'],
    [1, 2, 'up to 6 minutes on 2 cores'],
  ];
  for (const [binaries, cores, text] of estimates)
    it(`promises ${text} for ${binaries}`, () => {
      expect(buildEstimate(binaries, cores)).to.equal(text);
    });
});
