import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkKilled } from '../../chaos/check-killed.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { codeOf, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';

const BODY = { orb_id: 't.ok@1.0.0', inputs: { text: 'x' } };
const RECEIPT_ID = /"receipt_id":"(rcpt_[^"]+)"/;
const REFUSALS = 100;
const IMAGE_BYTES = 64 * 1024 * 1024;
/** `e2fsck` has corrected what an aborted journal leaves. */
const CORRECTED = 1;

const run = (platform: Standalone): Promise<Response> => platform.post('/orbisets/default/execute', BODY);
const receiptOf = async (answer: Response): Promise<string> => RECEIPT_ID.exec(await answer.text())?.[1] ?? '';
const did = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

describe('a standalone whose file system turns read-only below it (reliability.md R15)', function suite() {
  this.timeout(120_000);
  const outside = temporaryFolder();
  const image = join(outside, 'disk.img');
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const acknowledged: string[] = [];
  let mounted = false;
  let provider: TestProvider | undefined;
  let platform: Standalone;

  const mount = (): boolean => did('/bin/mount', '-o', 'loop', image, folder);
  async function start(): Promise<void> {
    const origin = `http://127.0.0.1:${provider?.port}`;
    platform = await startStandalone({
      data: folder,
      resources: { 'ok.json': orbManifest('t.ok@1.0.0', { url: `${origin}/ok` }) },
      flags: ['--egress-allow', origin],
    });
  }

  before(async function mountOrSkip() {
    writeFileSync(image, '');
    truncateSync(image, IMAGE_BYTES);
    mounted = did('/sbin/mkfs.ext4', '-q', image) && mount();
    if (!mounted) {
      process.stdout.write('      skipped: it needs root, a loop device and mkfs.ext4\n');
      this.skip();
    }
    provider = await startProvider();
    await start();
  });
  after(async () => {
    await platform?.stop('SIGKILL');
    await provider?.close();
    if (mounted) did('/bin/umount', folder);
    for (const each of [folder, outside]) rmSync(each, { recursive: true });
  });

  it('refuses runs with 503 and a few log lines, and serves what it has', async () => {
    acknowledged.push(await receiptOf(await run(platform)));
    const calls = provider?.seen.length;
    // The kernel refuses an ordinary `remount,ro` while files are open for writing. This is what an error of the disk does.
    expect(did('/bin/mount', '-o', 'remount,abort', folder)).to.equal(true);
    for (let count = 0; count < REFUSALS; count += 1) {
      const answer = await run(platform);
      expect([answer.status, codeOf(await answer.json())]).to.deep.equal([503, 'ledger-unavailable']);
    }
    expect(provider?.seen.length).to.equal(calls);
    expect((await platform.get(`/receipts/${acknowledged[0]}`)).status).to.equal(200);
    expect((await platform.get('/readyz')).status).to.equal(200);
    const lines = platform.output().split('\n');
    expect(lines.filter((line) => line.startsWith('    at '))).to.deep.equal([]);
    expect(lines.length).to.be.lessThan(REFUSALS);
  });

  it('has all that it acknowledged when the disk is checked and mounted again', async () => {
    await platform.stop('SIGKILL');
    expect(did('/bin/umount', folder)).to.equal(true);
    mounted = false;
    expect(spawnSync('/sbin/e2fsck', ['-p', image]).status).to.be.oneOf([0, CORRECTED]);
    mounted = mount();
    expect(mounted).to.equal(true);
    await start();
    acknowledged.push(await receiptOf(await run(platform)));
    expect(await platform.stop()).to.equal(0);
    const { faults } = await checkKilled(data, { ...emptyWitness(), acknowledged: new Set(acknowledged) });
    expect(faults).to.deep.equal([]);
    expect(new Set(acknowledged).size).to.equal(2);
  });
});
