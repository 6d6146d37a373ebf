import { expect } from 'chai';
import { globSync } from 'node:fs';
import { chosen, partsOf } from '../../../../hack/integration/parts.ts';

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
      ['docs/failover-walk', 'idle', 1],
    ]);
  });

  it('names no folder and no file that is not there', () => {
    const kinds = partsOf(ALL).filter(({ kind }) => kind !== 'side-by-side');
    expect(kinds.map(({ name }) => name).toSorted()).to.deep.equal([
      'chaos/reduced',
      'chaos/swaps',
      'docs/failover-walk',
      'egress',
      'failover/conformance',
    ]);
  });

  it('begins with what takes longest', () => {
    const parts = Object.groupBy(partsOf(ALL), ({ kind }) => kind);
    const names = parts['side-by-side']?.map(({ name }) => name);
    expect(names?.slice(0, 3)).to.deep.equal(['cli', 'cluster-api', 'cluster']);
    expect(parts.timed?.[0]?.name).to.equal('failover/conformance');
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
