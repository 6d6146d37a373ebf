import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { temporaryFolder } from '../../support/standalone.ts';

const ROOT = join(import.meta.dirname, '../../..');
const START_MS = 60_000;

describe('a program', function () {
  this.timeout(2 * START_MS);
  let folder: string;
  let ready: string;
  beforeEach(() => {
    folder = temporaryFolder();
    ready = join(folder, 'ready.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const helps: readonly (readonly [argv: readonly string[], exit: number])[] = [
    [['cli/orb.js', '--help'], 2],
    [['cli/orb.js', 'run', '--help'], 2],
    [['standalone/main.ts', '--help'], 1],
    [['api-server/main.ts', '--help'], 1],
    [['operator/main.ts', '--help'], 1],
    [['image/main.ts', '--help'], 1],
    [['image/main.ts', 'api', '--help'], 1],
  ];
  for (const [[program = '', ...argv], exit] of helps)
    it(`ends with ${exit} and one line when the disk is full: ${program} ${argv.join(' ')}`, () => {
      const full = openSync('/dev/full', 'w');
      const stdio = ['ignore', full, 'pipe'] as const;
      const { status, stderr } = spawnSync(process.execPath, [join(ROOT, program), ...argv], { stdio: [...stdio] });
      closeSync(full);
      expect(stderr.toString()).to.match(/^(?:orb: )?standard output can't be written: ENOSPC.*\n$/);
      expect(status).to.equal(exit);
    });

  for (const name of ['api', 'operator'])
    it(`of the image names itself as it is called: ${name}`, () => {
      const { stdout } = spawnSync(process.execPath, [join(ROOT, 'image/main.ts'), name, '--help']);
      const help = stdout.toString();
      expect(help.startsWith(`${name} [options]\n`), help).to.equal(true);
      expect(help).to.match(new RegExp(`\\nExample:\\n {2}${name} --`));
    });

  for (const program of ['standalone', 'api-server', 'operator'])
    it(`removes an old ready file before it reads its flags: ${program}`, () => {
      writeFileSync(ready, '{}');
      const argv = [join(ROOT, program, 'main.ts'), '--ready-file', ready, '--no-such-flag'];
      expect(spawnSync(process.execPath, argv).status).to.equal(64);
      expect(existsSync(ready)).to.equal(false);
    });

  it('keeps answering when the readers of its output and of its log have gone, and removes its ready file', async () => {
    const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--data', join(folder, 'data')];
    const argv = [join(ROOT, 'standalone/main.ts'), ...flags, '--ready-file', ready, '--log-level', 'debug'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    child.stderr.destroy();
    const closed = once(child, 'exit');
    const until = performance.now() + START_MS;
    while (!existsSync(ready) && child.exitCode === null && performance.now() < until) await delay(50);
    expect(child.exitCode).to.equal(null);
    const facts: unknown = JSON.parse(readFileSync(ready, 'utf8'));
    const url = isJsonObject(facts) && typeof facts['url'] === 'string' ? facts['url'] : 'no url';
    for (const path of ['/livez', '/no/such/route', '/livez']) await fetch(`${url}${path}`);
    await delay(200); // log lines are written up to 50 ms after their event
    expect((await fetch(`${url}/livez`)).status).to.equal(200);
    child.kill('SIGTERM');
    expect(await closed).to.deep.equal([0, null]);
    expect(existsSync(ready)).to.equal(false);
  });
});
