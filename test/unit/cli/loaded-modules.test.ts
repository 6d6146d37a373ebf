import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCases, rootJwk } from '../../support/verify-cases.ts';
import { aBadge, aJwt, keysFile } from '../core/verify/a-certificate.ts';
import { keys as world } from '../core/verify/a-world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HOOK = join(ROOT, 'test/support/list-modules.ts');

/** Paths in the checkout and names such as `node:http`. */
const nameOf = (url: string): string => (url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : url);

const isPackage = (name: string): boolean => name.includes('node_modules');
const isNetworkOrLedger = (name: string): boolean =>
  /^(?:adapters\/(?:egress|kube|ledger)\/(?!port\.ts$)|cli\/(?:api|cluster)\/(?!kube-failure\.ts$))|^node:(?:https?|net|sqlite|tls)$/.test(
    name,
  );
const isOfCertificates = (name: string): boolean => /^(?:core|adapters)\/(?:badge|certificate|gzip)\//.test(name);
const verbFolder = (name: string): string | undefined =>
  /^cli\/(?!api\/|args\/|cluster\/|completion\/|io\/)(\w+)\//.exec(name)?.[1];

describe('a process of orb', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orb-modules-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Names of the modules that a command line loads. */
  function modulesOf(argv: readonly string[], exit: number): readonly string[] {
    const list = join(folder, 'modules.txt');
    const { status, stderr } = spawnSync(process.execPath, ['--import', HOOK, join(ROOT, 'cli/orb.js'), ...argv], {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: folder, LOADED_MODULES: list, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    expect(status, stderr).to.equal(exit);
    return readFileSync(list, 'utf8').trimEnd().split('\n').map(nameOf);
  }

  it('loads no package and no verb for the help', () => {
    const loaded = modulesOf(['help'], 0);
    expect(loaded).to.include.members(['cli/program.ts', 'cli/verbs.ts']);
    expect(loaded.filter(isPackage)).to.deep.equal([]);
    expect(loaded.filter(isNetworkOrLedger)).to.deep.equal([]);
    expect(loaded.filter((name) => verbFolder(name) !== undefined)).to.deep.equal([]);
  });

  it('loads no package, network, Kubernetes or ledger to verify', () => {
    const bundle = join(folder, 'bundle.json');
    writeFileSync(bundle, bundleCases[0]?.bundle ?? '');
    const loaded = modulesOf(['verify', bundle, '--root', rootJwk], 0);
    expect(loaded).to.include('core/verify/verify.ts');
    expect(loaded.filter(isPackage)).to.deep.equal([]);
    expect(loaded.filter(isNetworkOrLedger)).to.deep.equal([]);
    expect(new Set(loaded.map(verbFolder).filter((name) => name !== undefined))).to.deep.equal(
      new Set(['trust', 'verdict', 'verify']),
    );
    expect(loaded.filter(isOfCertificates)).to.deep.equal([]);
  });

  it('loads no network, Kubernetes or ledger to test policies', () => {
    const loaded = modulesOf(['policy', 'test', join(ROOT, 'manifests/kubernetes/policies')], 0);
    expect(loaded).to.include('core/policy/language/cel-engine.ts');
    expect(loaded.filter(isNetworkOrLedger)).to.deep.equal([]);
  });

  it('loads what draws badges only to verify one', () => {
    const issuedAt = Date.now();
    const jwt = aJwt({ facts: { issuedAt } });
    const keys = join(folder, 'keys.json');
    writeFileSync(keys, keysFile());
    const flags = ['--keys', keys, '--root', JSON.stringify(world.root.jwk)];
    const [certificate, badge] = [join(folder, 'cert.jwt'), join(folder, 'badge.svg')];
    writeFileSync(certificate, jwt);
    writeFileSync(badge, aBadge(jwt));
    const loaded = modulesOf(['verify', certificate, ...flags], 0);
    expect(loaded).to.include('core/verify/verify-certificate.ts');
    expect(loaded.filter(isPackage)).to.deep.equal([]);
    const withImage = modulesOf(['verify', badge, ...flags], 0);
    expect(withImage.some((name) => name.startsWith('node_modules/badge-maker/'))).to.equal(true);
    expect([...loaded, ...withImage].filter(isNetworkOrLedger)).to.deep.equal([]);
  });

  it('loads no package to call the API, and none of Kubernetes for an address', () => {
    const loaded = modulesOf(['status', 'acme.mailer@1.2.0', '--server', 'http://127.0.0.1:1'], 4);
    expect(loaded).to.include('cli/api/http.ts');
    expect(loaded.filter(isPackage)).to.deep.equal([]);
    expect(loaded).not.to.include('adapters/kube/kube-client.ts');
  });

  it('loads the package for YAML only where it is used', () => {
    const manifest = join(folder, 'orb.json');
    writeFileSync(manifest, '{}');
    expect(modulesOf(['trust', 'list', '-o', 'json'], 0).filter(isPackage)).to.deep.equal([]);
    const loaded = modulesOf(['trust', 'list', '-o', 'yaml'], 0);
    expect(loaded.filter(isPackage).every((name) => name.startsWith('node_modules/yaml/'))).to.equal(true);
    expect(loaded.filter(isPackage)).not.to.deep.equal([]);
  });
});
