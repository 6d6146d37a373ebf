import { expect } from 'chai';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../../../adapters/process/start-error.ts';
import {
  createTlsFollower,
  readTls,
  type FollowedTls,
  type TlsPaths,
} from '../../../../api-server/process/tls-files.ts';
import type { TlsFiles } from '../../../../api-server/http/server.ts';
import { recordLog, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';
import { refusal } from '../../../support/refusal.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const ca = makeCa();
const DAY_MS = 86_400_000;
const pair = (name: string, days = 30) => issue(ca, { names: [name], validTo: Date.now() + days * DAY_MS });

describe('createTlsFollower', () => {
  let folder: string;
  let paths: TlsPaths;
  let log: RecordedLog;
  let used: TlsFiles[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-tls-'));
    paths = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    log = recordLog();
    used = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write({ certificate, key }: { readonly certificate: string; readonly key: string }): void {
    writeFileSync(paths.certFile, certificate);
    writeFileSync(paths.keyFile, key);
  }

  const follow = async (): Promise<FollowedTls> =>
    createTlsFollower(paths, await readTls(paths), { logger: log.logger, use: (files) => used.push(files) });

  it('takes over a pair that changed, once, with the end of its certificate', async () => {
    write(pair('a.example', 1));
    const followed = await follow();
    await followed.reload();
    expect(used).to.deep.equal([]);
    const next = pair('b.example', 2);
    write(next);
    await followed.reload();
    await followed.reload();
    expect(used).to.deep.equal([{ cert: next.certificate, key: next.key }]);
    expect(followed.expiresAt()).to.be.closeTo(Date.now() + 2 * DAY_MS, DAY_MS / 2);
  });

  it('sees the swap of a mounted Secret', async () => {
    const version = (name: string, { certificate, key }: ReturnType<typeof pair>): void => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'tls.crt'), certificate);
      writeFileSync(join(folder, name, 'tls.key'), key);
    };
    version('..1', pair('a.example'));
    symlinkSync('..1', join(folder, '..data'));
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
    const followed = await follow();
    const next = pair('b.example');
    version('..2', next);
    symlinkSync('..2', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    await followed.reload();
    expect(used.map(({ cert }) => cert)).to.deep.equal([next.certificate]);
  });

  const wrong: readonly (readonly [string, () => void])[] = [
    ['half written', () => writeFileSync(paths.certFile, pair('b.example').certificate.slice(0, 300))],
    ['of two pairs', () => writeFileSync(paths.certFile, pair('b.example').certificate)],
    ['empty', () => writeFileSync(paths.keyFile, '')],
    ['gone', () => rmSync(paths.keyFile)],
  ];
  for (const [why, change] of wrong)
    it(`keeps the pair in use when the new one is ${why}, and says so once`, async () => {
      write(pair('a.example'));
      const followed = await follow();
      change();
      for (let times = 0; times < 3; times += 1) await followed.reload();
      expect([used, log.lines.length]).to.deep.equal([[], 1]);
      const next = pair('c.example');
      write(next);
      await followed.reload();
      expect(used.map(({ cert }) => cert)).to.deep.equal([next.certificate]);
    });

  it('refuses a start with files that are no pair', async () => {
    write({ certificate: pair('a.example').certificate, key: pair('b.example').key });
    expect(await refusal(readTls(paths))).to.be.instanceOf(StartError);
  });
});
