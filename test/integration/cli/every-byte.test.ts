import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type TestCli } from '../../support/cli-io.ts';
import { bundleCases, rootJwk } from '../../support/verify-cases.ts';

describe('orb verify with a damaged bundle', () => {
  let cli: TestCli;
  before(async () => {
    cli = aCli();
    await cli.run(['trust', 'add', 'https://orbs.example', '--root', rootJwk]);
  });
  after(() => rmSync(cli.folder, { recursive: true }));

  const bytes = Buffer.from(bundleCases[0]?.bundle ?? '');
  const damages: readonly [string, (byte: number) => number][] = [
    ['the lowest bit turned', (byte) => byte ^ 0x01],
    ['a space in its place', (byte) => (byte === 0x20 ? 0x21 : 0x20)],
  ];
  for (const [what, damage] of damages) {
    it(`is never valid, whichever byte has ${what}`, async () => {
      expect((await cli.run(['verify', '-'], { stdin: bytes })).exit).to.equal(0);
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? damage(byte) : byte));
        expect((await cli.run(['verify', '-'], { stdin: changed })).exit, `byte ${at}`).to.be.oneOf([1, 2, 3]);
      }
    });
  }
});
