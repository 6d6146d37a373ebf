import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';
import { anOrbProcess, type OrbEnded } from '../../support/orb-process.ts';

const bin = join(import.meta.dirname, '../../../cli/orb.js');

const objectIn = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
};
const textAt = (value: unknown, name: string): string => {
  const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
};

describe('orb, from orb dev to a verified receipt', () => {
  const { folder, env, run } = anOrbProcess();
  let server: ChildProcess;
  let printed = '';
  /** In the folder with `.orb`: server and key come from what `orb dev` left there. */
  const orb = (argv: readonly string[], stdin = '', more: NodeJS.ProcessEnv = {}): Promise<OrbEnded> =>
    run(argv, { stdin, env: more });
  const execute = (...argv: readonly string[]): Promise<OrbEnded> => orb(['run', 'example.echo@1.0.0', ...argv]);

  before(async () => {
    const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ready-file', 'ready.json'];
    server = spawn(process.execPath, [bin, 'dev', ...flags], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    server.stderr?.resume();
    await untilTrue('the server is ready', () => existsSync(join(folder, 'ready.json')), 60_000);
  });
  after(async () => {
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'close');
    }
    rmSync(folder, { recursive: true });
  });

  it('executes the example without any flag, key or address', async () => {
    const { status, out } = await execute('text=Hello, Orb', '-o', 'json');
    expect(status).to.equal(0);
    expect(objectIn(out)['outputs']).to.deep.equal({ text: 'Hello, Orb', words: 2 });
  });

  it('saves a receipt that verifies with its disclosed input, once the printed line pinned the root', async () => {
    const result = objectIn((await execute('text=disclosed', '-o', 'json')).out);
    const id = textAt(result['receipt'], 'receipt_id');
    expect((await orb(['receipts', 'get', id, '--bundle', 'bundle.json'])).status).to.equal(0);
    expect((await orb(['verify', 'bundle.json'])).status).to.equal(2);

    const [, issuer = '', jwk = ''] = /trust add (\S+) --root '([^']+)'/.exec(printed) ?? [];
    expect((await orb(['trust', 'add', issuer, '--root', jwk])).status).to.equal(0);
    expect((await orb(['verify', 'bundle.json', '--max-age', '1h'])).status).to.equal(0);

    const openings = isJsonObject(result['openings']) ? result['openings'] : {};
    const salt = textAt(openings['input'], 'salt');
    for (const [value, exit] of [
      ['disclosed', 0],
      ['another', 1],
    ] as const) {
      writeFileSync(join(folder, 'input.json'), JSON.stringify({ text: value }));
      expect((await orb(['verify', 'bundle.json', '--input', 'input.json', '--input-salt', salt])).status).to.equal(
        exit,
      );
    }
  });

  it('saves a receipt alone that verifies with the keys document of a bundle', async () => {
    const id = textAt(objectIn((await execute('text=alone', '-o', 'json')).out)['receipt'], 'receipt_id');
    await orb(['receipts', 'get', id, '--jws', 'receipt.jws']);
    await orb(['receipts', 'get', id, '--bundle', 'bundle.json']);
    writeFileSync(
      join(folder, 'keys.jws'),
      textAt(objectIn(readFileSync(join(folder, 'bundle.json'), 'utf8')), 'keys_jws'),
    );
    expect((await orb(['verify', 'receipt.jws', '--keys', 'keys.jws', '--allow-unlogged'])).status).to.equal(0);
  });

  it('lists receipts by Orb and outcome, newest first', async () => {
    await execute('text=listed');
    const { out } = await orb([
      'receipts',
      'list',
      '--orb',
      'example.echo@1.0.0',
      '--outcome',
      'success',
      '--since',
      '1h',
      '--limit',
      '2',
      '-o',
      'json',
    ]);
    const page = objectIn(out);
    const times = Array.isArray(page['items']) ? page['items'].map((item) => textAt(item, 'timestamp')) : [];
    expect(times.length).to.equal(2);
    expect(times).to.deep.equal(times.toSorted().toReversed());
  });

  it('shows what would be sent, with a placeholder in place of the secret', async () => {
    const { status, out } = await execute('text=dry', '--dry-run');
    expect(status).to.equal(0);
    expect(out).to.include('Bearer {{orbiset.secrets.ECHO_TOKEN}}');
  });

  it('names the pointer of a wrong input and ends with 2', async () => {
    const { status, out, err } = await execute('txet=x');
    expect([status, out]).to.deep.equal([2, '']);
    expect(err).to.include('/inputs/txet').and.to.include('/inputs/text');
  });

  it('takes a secret within 5 s, and the run shows it', async () => {
    const { status, err } = await orb(
      ['secrets', 'set', 'ECHO_TOKEN', '--host', 'elsewhere.example', '--replace-hosts'],
      'a-wrong-token\n',
    );
    expect([status, err.includes('replaced ECHO_TOKEN')]).to.deep.equal([0, true]);
    const answer = await lastAnswer(
      () => execute('text=x', '-o', 'json'),
      ({ status: code }) => code !== 0,
      5000,
    );
    expect(answer.status).to.equal(2);
    expect(textAt(objectIn(answer.out), 'code')).to.equal('secret-host-not-allowed');
    expect(answer.out).not.to.include('a-wrong-token');
  });

  it('makes a key that works within 2 s and, revoked, no longer does', async () => {
    const created = await orb(['keys', 'create', '--tenant', 'default', '--scope', 'receipts:read']);
    const key = { ORB_API_KEY: created.out.trim() };
    const until = (wanted: number): Promise<number | null> =>
      lastAnswer(
        async () => (await orb(['receipts', 'list'], '', key)).status,
        (status) => status === wanted,
        2000,
      );
    expect(await until(0)).to.equal(0);
    expect((await orb(['run', 'example.echo@1.0.0', 'text=x'], '', key)).err).to.include('403 forbidden');
    await orb(['keys', 'revoke', created.out.slice(4, 12)]);
    expect(await until(2)).to.equal(2);
  });

  it('passes SIGTERM on to the server, which ends in order, and ends as it ends', async () => {
    server.kill('SIGTERM');
    await once(server, 'close');
    expect([server.exitCode, server.signalCode]).to.deep.equal([0, null]);
    const { status, err } = await execute('text=x');
    expect(status).to.equal(4);
    expect(err).to.include('nothing listens there');
  });

  it('runs on an older Node by finding a newer one', function () {
    const older = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' });
    if (!/^v(?:1\d|2[0-3])\./.test(older.stdout)) this.skip();
    const { status, stdout } = spawnSync('/usr/bin/node', [bin, '--version'], { encoding: 'utf8' });
    expect([status, /^\d+\.\d+\.\d+\n$/.test(stdout)]).to.deep.equal([0, true]);
  });
});
