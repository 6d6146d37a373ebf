import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../../../../cli/io/run-node.ts';

describe('runNode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-node-'));
  const script = (text: string): string => {
    const path = join(folder, 'script.cjs');
    writeFileSync(path, text);
    return path;
  };
  after(() => rmSync(folder, { recursive: true }));

  it('passes the arguments and answers the exit code', async () => {
    const file = script('require("fs").writeFileSync(process.argv[2], process.argv[3]); process.exit(5);');
    expect(await runNode(file, [join(folder, 'out'), 'a b'])).to.equal(5);
    expect(readFileSync(join(folder, 'out'), 'utf8')).to.equal('a b');
  });

  it('answers a signal as a shell does, and leaves no listener behind', async () => {
    const before = process.listenerCount('SIGTERM');
    expect(await runNode(script('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);'), [])).to.equal(
      137,
    );
    expect(process.listenerCount('SIGTERM')).to.equal(before);
  });

  it('passes a signal on, so that the child can end in order', async () => {
    const file = script(
      'process.once("SIGTERM", () => process.exit(9)); process.kill(process.ppid, "SIGTERM"); setInterval(() => {}, 1000);',
    );
    expect(await runNode(file, [])).to.equal(9);
  });
});
