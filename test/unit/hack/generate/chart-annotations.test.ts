import { expect } from 'chai';
import { changesOf } from '../../../../hack/generate/chart-annotations.ts';

const CHANGELOG = `# Changelog

## 0.10.0

### Added

- Not of this version.

## 0.1.0 (unreleased)

Words before the first kind.

### Added

- One thing, told
  in two lines.
- Another: with \`code\`.

### Security

- A hole less.

## 0.0.9

### Fixed

- Not of this version either.
`;

describe('changes of a chart', () => {
  it('are those of its version, each with its kind', () => {
    expect(changesOf(CHANGELOG, '0.1.0')).to.deep.equal([
      { kind: 'added', description: 'One thing, told in two lines.' },
      { kind: 'added', description: 'Another: with `code`.' },
      { kind: 'security', description: 'A hole less.' },
    ]);
  });

  const refused: readonly (readonly [why: string, text: string, message: string])[] = [
    ['a version without a section', '## 0.1.0\n', 'no section ## 0.2.0'],
    ['an entry without a kind', '## 0.2.0\n\n- New.\n', '"- New." stands below no kind'],
    ['an unknown heading', '## 0.2.0\n\n### News\n', 'unknown heading "### News"; use one of added, changed'],
  ];
  for (const [why, text, message] of refused)
    it(`are refused for ${why}`, () => {
      expect(() => changesOf(text, '0.2.0')).to.throw(message);
    });
});
