import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCases, rootJwk } from '../../support/verify-cases.ts';

const ORB = join(import.meta.dirname, '../../../cli/orb.js');
const LF = 0x0a;

describe('orb verify with a damaged bundle', () => {
  let folder = '';
  before(() => (folder = mkdtempSync(join(tmpdir(), 'orb-every-byte-'))));
  after(() => rmSync(folder, { recursive: true }));

  const bytes = Buffer.from(bundleCases[0]?.bundle ?? '');
  const damages: readonly [string, (byte: number) => number][] = [
    ['the lowest bit turned', (byte) => byte ^ 0x01],
    ['a space in its place', (byte) => (byte === 0x20 ? 0x21 : 0x20)],
  ];
  for (const [what, damage] of damages) {
    // A line has the verdict of a file of its own: test/unit/cli/verify-lines/same-verdict.test.ts.
    it(`is never valid, whichever byte has ${what}`, () => {
      const changed = Array.from(bytes, (byte, at) => bytes.with(at, damage(byte)));
      expect(changed.some((line) => line.includes(LF))).to.equal(false);
      const path = join(folder, 'changed.jsonl');
      writeFileSync(path, Buffer.concat([bytes, ...changed].flatMap((line) => [line, Buffer.of(LF)])));
      const argv = [ORB, 'verify', path, '--root', rootJwk];
      const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', maxBuffer: 2 ** 27 });
      const verdicts = stdout
        .trimEnd()
        .split('\n')
        .map((line) => /^(\d+): (\w+)/.exec(line)?.slice(1) ?? []);
      expect(status, stderr).to.be.oneOf([1, 2]);
      expect(verdicts.length).to.equal(bytes.length + 1);
      expect(verdicts[0]).to.deep.equal(['1', 'valid']);
      for (const [at, [line, verdict]] of verdicts.slice(1).entries()) {
        expect(line).to.equal(String(at + 2));
        expect(verdict, `byte ${at}`).to.be.oneOf(['tampered', 'undecidable', 'untrusted']);
      }
    });
  }
});
