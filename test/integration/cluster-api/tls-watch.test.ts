import { expect } from 'chai';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '../../../api-server/http/server.ts';
import { createTlsFollower, readTls, watchTls } from '../../../api-server/process/tls-files.ts';
import { waitFor } from '../../support/wait-for.ts';
import { recordLog } from '../../support/kube/runtime-recorders.ts';
import { issue, makeCa } from '../../support/tls.ts';

const ca = makeCa();

describe('watchTls', function suite() {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-tls-watch-'));
  after(() => rmSync(folder, { recursive: true }));

  /** As kubelet mounts a Secret: names point into `..data`, which is swapped. */
  function mount(version: string): string {
    const { certificate, key } = issue(ca, { names: [`${version}.example`] });
    mkdirSync(join(folder, `..${version}`));
    writeFileSync(join(folder, `..${version}`, 'tls.crt'), certificate);
    writeFileSync(join(folder, `..${version}`, 'tls.key'), key);
    symlinkSync(`..${version}`, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    return certificate;
  }

  it('takes a rotated Secret over by itself, again and again', async () => {
    mount('v1');
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
    const paths = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    const used: TlsFiles[] = [];
    const { logger } = recordLog();
    const followed = createTlsFollower(paths, await readTls(paths), { logger, use: (files) => used.push(files) });
    const stop = watchTls(paths, followed);
    for (const version of ['v2', 'v3']) {
      const wanted = mount(version);
      const taken = await waitFor(async () => (used.at(-1)?.cert === wanted ? wanted : undefined));
      expect(taken).to.equal(wanted);
    }
    expect(used).to.have.length(2);
    await stop();
  });
});
