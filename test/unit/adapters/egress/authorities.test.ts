import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAuthorities } from '../../../../adapters/egress/authorities.ts';
import { UsageError } from '../../../../adapters/process/start-error.ts';
import { issue, makeCa } from '../../../support/tls.ts';

describe('files of --egress-ca', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-ca-'));
  after(() => rmSync(folder, { recursive: true }));
  const written = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const ca = makeCa();

  it('are read as they are, in their order', async () => {
    const [one, other] = [ca.certificate, `# ours\n${makeCa().certificate}`];
    expect(await readAuthorities([written('a.pem', one), written('b.pem', other)])).to.deep.equal([one, other]);
    expect(await readAuthorities([])).to.deep.equal([]);
  });

  const refused: readonly (readonly [why: string, file: string])[] = [
    ['is not there', join(folder, 'gone.pem')],
    ['holds no PEM', written('text.pem', 'x')],
    ['holds the certificate of a server', written('leaf.pem', issue(ca, { names: ['a.example'] }).certificate)],
    ['holds a key alone', written('key.pem', ca.key)],
  ];
  for (const [why, file] of refused)
    it(`are refused when one ${why}, by its name`, async () => {
      const error: unknown = await readAuthorities([written('good.pem', ca.certificate), file]).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(UsageError);
      expect(String(error)).to.include(`--egress-ca ${file}: no PEM certificate of an authority is there`);
    });
});
