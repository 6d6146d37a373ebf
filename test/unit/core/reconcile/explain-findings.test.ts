import { expect } from 'chai';
import fc from 'fast-check';
import type { Finding } from '../../../../core/manifest/finding.ts';
import { explainFindings } from '../../../../core/reconcile/explain-findings.ts';

const finding = (pointer: string, detail: string): Finding => ({ code: 'a-code', pointer, detail, severity: 'error' });

describe('explainFindings', () => {
  const rows: readonly [string, string, string, string][] = [
    ['a member', 'spec', '/execution/url', 'spec.execution.url: Do it. (a-code)'],
    ['the whole', 'spec', '', 'spec: Do it. (a-code)'],
    ['an element', 'spec', '/swap_config/fallbacks/0', 'spec.swap_config.fallbacks[0]: Do it. (a-code)'],
    ['a name with other characters', 'spec', '/headers/X-Key', 'spec.headers["X-Key"]: Do it. (a-code)'],
    ['an escaped name', 'spec.manifest', '/a~1b', 'spec.manifest["a/b"]: Do it. (a-code)'],
    ['an object', '', '/spec/vault', 'spec.vault: Do it. (a-code)'],
  ];
  for (const [why, base, pointer, expected] of rows) {
    it(`names ${why} as it stands in the file`, () =>
      expect(explainFindings([finding(pointer, 'Do it.')], base)).to.equal(expected));
  }

  it('is the same text whatever the order of the findings', () => {
    const found = [finding('/b', 'Second.'), finding('/a', 'First.')];
    expect(explainFindings(found, 'spec')).to.equal('spec.a: First. (a-code) | spec.b: Second. (a-code)');
    expect(explainFindings(found.toReversed(), 'spec')).to.equal(explainFindings(found, 'spec'));
  });

  it('says how many it could not show', () => {
    const many = Array.from({ length: 50 }, (_, index) => finding(`/m${index}`, 'x'.repeat(100)));
    expect(explainFindings(many, 'spec')).to.match(/ \| and 4[0-9] more$/);
  });

  it('stays below 1 KiB and well formed for any findings', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 1200 });
    const any = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(any, (found) => {
        const said = explainFindings(
          found.map(([name, detail]) => finding(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail)),
          'spec',
        );
        expect(Buffer.byteLength(said)).to.be.within(1, 1000);
        expect(said.isWellFormed()).to.equal(true);
      }),
    );
  });
});
