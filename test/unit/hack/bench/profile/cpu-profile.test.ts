import { expect } from 'chai';
import {
  foldProfile,
  selfByFunction,
  topFunctions,
  type CpuProfile,
} from '../../../../../hack/bench/profile/cpu-profile.ts';
import { flameGraph } from '../../../../../hack/bench/profile/flame-graph.ts';

const frame = (functionName: string, url = '', lineNumber = -1): CpuProfile['nodes'][number]['callFrame'] => ({
  functionName,
  url,
  lineNumber,
});

/** Samples at 1100, 1200 … µs; each lasts 100 µs. */
const profile: CpuProfile = {
  startTime: 1000,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 6] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('execute', 'file:///code/core/run.ts', 9), children: [4, 5] },
    { id: 4, callFrame: frame('sign<T>', 'node:crypto', 4) },
    { id: 5, callFrame: frame('', 'file:///code/node_modules/ajv/a.js', 0) },
    { id: 6, callFrame: frame('execute', 'file:///code/core/run.ts', 9), children: [7] },
    { id: 7, callFrame: frame('sign<T>', 'node:crypto', 4) },
  ],
  samples: [3, 2, 4, 4, 5, 7, 3, 2],
  timeDeltas: [100, 100, 100, 100, 100, 100, 100, 100],
};
const WHOLE = { from: 0, to: 10_000 };

describe('a CPU profile', () => {
  it('folds into a tree: a frame below the same caller appears once, the largest first', () => {
    const tree = foldProfile(profile, WHOLE, '/code');
    expect(tree.total).to.equal(700);
    expect(tree.children.map(({ name, self, total }) => [name, self, total])).to.deep.equal([
      ['execute (core/run.ts:10)', 200, 600],
      ['(idle)', 100, 100],
    ]);
    expect(tree.children[0]?.children.map(({ name, total }) => [name, total])).to.deep.equal([
      ['sign<T> (node:crypto:5)', 300],
      ['(anonymous) (ajv/a.js:1)', 100],
    ]);
  });

  it('counts only samples of the window', () => {
    expect(foldProfile(profile, { from: 1300, to: 1500 }, '/code').total).to.equal(200);
  });

  it('lists functions by self time, as a share of the time that is not idle', () => {
    const tree = foldProfile(profile, WHOLE, '/code');
    expect(selfByFunction(tree)[0]).to.deep.equal(['sign<T> (node:crypto:5)', 300]);
    expect(topFunctions(tree, 2)).to.deep.equal([
      'main thread: 1 ms busy, 14.3 % of the time idle',
      '   self        ms  function',
      ' 50.0 %       0.3  sign<T> (node:crypto:5)',
      ' 33.3 %       0.2  execute (core/run.ts:10)',
    ]);
  });

  it('is drawn without the idle time: a frame is as wide as its share, names are escaped', () => {
    const svg = flameGraph(foldProfile(profile, WHOLE, '/code'), 'a & b');
    expect(svg).to.match(/^<svg [^>]*>.*<\/svg>\n$/s);
    expect(svg).to.include('<title>sign&lt;T&gt; (node:crypto:5): 50.0 %, self 50.0 %</title>');
    expect(svg).to.match(/sign&lt;T&gt;[^<]*<\/title><rect x="0.0" y="64" width="800.0"/);
    expect(svg).to.include('a &amp; b').and.not.include('(idle)');
  });
});
