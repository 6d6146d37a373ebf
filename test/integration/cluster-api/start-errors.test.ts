import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const NONE = '/no/such/file';
const SERVER = ['--kube-server', 'https://127.0.0.1:1'];
const FREE = ['--metrics-listen', '127.0.0.1:0'];

describe('a process whose configuration can not be used', function starting() {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-start-'));
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, 'no PEM\n');
  after(() => rmSync(folder, { recursive: true }));

  const programs: Readonly<Record<string, readonly string[]>> = {
    'api-server/main.ts': [...FREE, '--listen', '127.0.0.1:0', '--data', folder],
    'operator/main.ts': [...FREE, '--probes-listen', '127.0.0.1:0'],
  };
  /** Its exit code, and what it said without the lines of its log. */
  const start = (program: string, flags: readonly string[]): readonly [number | null, string] => {
    const argv = [join(ROOT, program), ...(programs[program] ?? []), ...flags];
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: folder, timeout: 20_000 });
    const said = stderr.toString().split('\n');
    return [status, said.filter((line) => line !== '' && !line.startsWith('{')).join('\n')];
  };

  const connections: readonly [string, readonly string[], RegExp][] = [
    [
      'a token file that is not there',
      [...SERVER, '--kube-token-file', NONE],
      /\/no\/such\/file: check that it exists/,
    ],
    ['a CA file that is not there', [...SERVER, '--kube-ca-file', NONE], /\/no\/such\/file: check that it exists/],
    ['a kubeconfig that is not there', ['--kubeconfig', NONE], /no kubeconfig at \/no\/such\/file: name one/],
    ['plain http to another host', ['--kube-server', 'http://192.0.2.1:8080'], /write https:\/\/HOST:PORT/],
  ];
  for (const program of Object.keys(programs)) {
    for (const [why, flags, said] of connections) {
      it(`ends ${program} with 78 and one line for ${why}`, () => {
        const [status, text] = start(program, flags);
        expect(status, text).to.equal(78);
        expect(text).to.match(said).and.not.include('\n');
      });
    }
  }

  const files: readonly [string, string, string][] = [
    ['is not there', NONE, 'check that it exists'],
    ['holds no key', wrong, 'no certificate chain (PEM) and its private key'],
  ];
  for (const [why, file, said] of files) {
    it(`ends the API with 78 and one line for a --tls-key that ${why}`, () => {
      const [status, text] = start('api-server/main.ts', [...SERVER, '--tls-cert', wrong, '--tls-key', file]);
      expect(status, text).to.equal(78);
      expect(text).to.include(said).and.include(file).and.not.include('\n');
    });
  }
});
