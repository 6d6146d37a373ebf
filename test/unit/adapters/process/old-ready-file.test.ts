import { expect } from 'chai';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOldReadyFile } from '../../../../adapters/process/old-ready-file.ts';

describe('removeOldReadyFile', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-ready-'));
    path = join(folder, 'ready.json');
    writeFileSync(path, '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const rows: readonly (readonly [why: string, argv: (path: string) => readonly string[], isLeft: boolean])[] = [
    ['removes the file of two words', (file) => ['--data', 'd', '--ready-file', file], false],
    ['removes the file of one word', (file) => [`--ready-file=${file}`, '--data', 'd'], false],
    ['leaves the file to the help', (file) => ['--ready-file', file, '--help'], true],
    ['leaves the file of another flag', (file) => ['--data', file], true],
    ['leaves everything without a value', () => ['--ready-file'], true],
  ];
  for (const [why, argv, isLeft] of rows)
    it(why, () => {
      removeOldReadyFile(argv(path));
      expect(existsSync(path)).to.equal(isLeft);
    });

  it('leaves a folder, and does not fail', () => {
    mkdirSync(join(folder, 'sub'));
    removeOldReadyFile(['--ready-file', join(folder, 'sub')]);
    expect(existsSync(join(folder, 'sub'))).to.equal(true);
  });
});
