import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { chosen, isLong, OTHER_CHECKS, partsOf } from '../../../../hack/integration/parts.ts';

const ALL = globSync('test/integration/**/*.test.ts');
const file = (name: string): string => `test/integration/${name}.test.ts`;

describe('partsOf', () => {
  it('runs every file once', () => {
    const files = partsOf(ALL).flatMap((part) => part.files);
    expect(files.toSorted()).to.deep.equal(ALL.toSorted());
  });

  it('keeps a folder together, but for the files that it names', () => {
    const parts = partsOf([file('rbac/a'), file('docs/docs'), file('docs/failover-walk'), file('rbac/b')]);
    expect(parts.map(({ name, kind, files }) => [name, kind, files.length])).to.have.deep.members([
      ['rbac', 'side-by-side', 2],
      ['docs', 'side-by-side', 1],
      ['docs/failover-walk', 'waiting', 1],
    ]);
  });

  it('names no folder and no file that is not there', () => {
    const kinds = partsOf(ALL).filter(({ kind }) => kind !== 'side-by-side');
    expect(kinds.map(({ name }) => name).toSorted()).to.deep.equal([
      'chaos/crashed-swap',
      'chaos/crashes',
      'chaos/leaders',
      'chaos/refusals',
      'chaos/states',
      'chaos/swaps',
      'charts/dashboards',
      'conformance/cluster',
      'conformance/operators',
      'conformance/sockets',
      'docs/failover-walk',
      'egress',
      'kube',
      'loader',
      'security',
    ]);
  });

  it('begins with what takes longest', () => {
    const parts = Object.groupBy(partsOf(ALL), ({ kind }) => kind);
    const names = parts['side-by-side']?.map(({ name }) => name);
    expect(names?.slice(0, 3)).to.deep.equal(['cluster-api', 'standalone', 'operator']);
    expect(parts.timed?.[0]?.name).to.equal('chaos/leaders');
    expect(parts.waiting?.[0]?.name).to.equal('docs/failover-walk');
  });

  it('leaves faults, conformance and the walk through a failover to npm run test:long', () => {
    const long = partsOf(ALL)
      .filter(isLong)
      .map(({ name }) => name);
    expect(long.toSorted()).to.deep.equal([
      'chaos/crashed-swap',
      'chaos/crashes',
      'chaos/leaders',
      'chaos/refusals',
      'chaos/states',
      'chaos/swaps',
      'conformance/cluster',
      'conformance/operators',
      'conformance/sockets',
      'docs/failover-walk',
    ]);
  });

  it('lets small folders share a mocha', () => {
    const parts = partsOf([file('rbac/a'), file('crds/a'), file('log-head/a')]);
    expect(parts.map(({ name, files }) => [name, files.length])).to.have.deep.members([
      ['rbac', 2],
      ['providers', 1],
    ]);
  });

  it('names scripts that are there as the other checks', () => {
    const scripts = readFileSync('package.json', 'utf8');
    const checks = [...OTHER_CHECKS.first, ...OTHER_CHECKS.last];
    expect(checks.map(({ name }) => name)).to.deep.equal(['coverage', 'test:simulation', 'lint:charts']);
    expect(checks.filter(({ script = '' }) => !scripts.includes(`"${script}": `))).to.deep.equal([]);
  });
});

describe('chosen', () => {
  const files = [file('rbac/a'), file('cli/a'), file('cli/b')];

  it('is all of them without a word', () => expect(chosen(files, [])).to.deep.equal(files));

  it('is what any of the words is part of, once', () => {
    expect(chosen(files, ['cli/a', './test/integration/cli'])).to.deep.equal([file('cli/a'), file('cli/b')]);
  });

  it('refuses a word that names nothing', () => {
    expect(() => chosen(files, ['rbac', 'kube'])).to.throw('no integration test has "kube" in its path');
  });
});
