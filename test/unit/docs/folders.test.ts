import { expect } from 'chai';
import { firstCellsOf } from '../../support/docs/markdown.ts';
import { foldersIn, readText } from '../../support/docs/repository.ts';

const MAP = 'docs/design/architecture.md';

/** The folders that the table of the architecture lists, in its order. */
const listedIn = (text: string): readonly string[] => {
  const section = text.split(/^## /m).find((part) => part.startsWith('2. Folders')) ?? '';
  return firstCellsOf(section).filter((cell) => /^[a-z][a-z0-9/-]*$/.test(cell));
};

/** Folders of the repository down to the second level. */
const folders = (): readonly string[] => foldersIn('.').flatMap((top) => [top, ...foldersIn(top)]);

describe('the map of the folders', () => {
  it('is read from its section alone', () => {
    const table = '| Folder | What |\n| --- | --- |\n| `core` | values |\n| `core/json` | text |\n';
    expect(listedIn(`## 1. Programs\n\n| \`api\` | x |\n\n## 2. Folders\n\n${table}`)).to.deep.equal([
      'core',
      'core/json',
    ]);
  });

  it('lists every folder of the first two levels, and no other', () => {
    expect(listedIn(readText(MAP)).toSorted()).to.deep.equal(folders().toSorted());
  });
});
