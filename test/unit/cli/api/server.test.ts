import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../../../../cli/api/http.ts';
import { findServer, SERVER_FLAGS } from '../../../../cli/api/server.ts';
import { parseVerbArgs } from '../../../../cli/args/parse-args.ts';
import { Failure } from '../../../../cli/io/failure.ts';
import { ioOf } from '../../../support/cli-io.ts';

const find = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> => {
  const { base, key } = await findServer(parseVerbArgs({ flags: SERVER_FLAGS }, argv), ioOf({ env }));
  return [base.href, key];
};

/** What is said when an address is found, and when nothing listens there. */
const say = async (argv: readonly string[], env: Readonly<Record<string, string>>): Promise<string> => {
  const said: string[] = [];
  const io = ioOf({ env, err: (text) => void said.push(text) });
  const server = await findServer(parseVerbArgs({ flags: SERVER_FLAGS }, argv), io);
  const request = { method: 'GET', path: 'health', headers: {}, timeoutMs: 5000 } as const;
  const error: unknown = await call(server, request, io.signal).catch((thrown: unknown) => thrown);
  return [...said, ...(error instanceof Failure ? [error.message, ...error.next] : [])].join('\n');
};

describe('findServer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-server-'));
  const data = ['--data', folder];
  const none = ['--data', join(folder, 'none')];
  const keyFile = join(folder, 'key');
  const url = (text: string): readonly string[] => [...data, '--server', text];
  before(() => {
    writeFileSync(join(folder, 'credentials.json'), '{"url":"http://127.0.0.1:9000","api_key":"local-key"}');
    writeFileSync(keyFile, 'file-key\n');
  });
  after(() => rmSync(folder, { recursive: true }));

  const accepted: readonly [string, readonly string[], Readonly<Record<string, string>>, unknown][] = [
    ['the default without a key', none, {}, ['http://127.0.0.1:8080/', undefined]],
    ['what npm start left', data, {}, ['http://127.0.0.1:9000/', 'local-key']],
    [
      'the environment before it',
      data,
      { ORB_SERVER: 'https://orbs.example', ORB_API_KEY: 'env-key' },
      ['https://orbs.example/', 'env-key'],
    ],
    [
      'flags before the environment',
      [...url('https://a.example/x'), '--key-file', keyFile],
      { ORB_SERVER: 'https://b.example', ORB_API_KEY: 'env-key' },
      ['https://a.example/x/', 'file-key'],
    ],
    ['the local key for the same server', url('http://127.0.0.1:9000'), {}, ['http://127.0.0.1:9000/', 'local-key']],
    [
      'the local key for the same server by another name',
      url('http://localhost:9000/'),
      {},
      ['http://localhost:9000/', 'local-key'],
    ],
    [
      'no key for another port of this machine',
      url('http://127.0.0.1:9001'),
      {},
      ['http://127.0.0.1:9001/', undefined],
    ],
    ['no key for another host', url('https://orbs.example:9000'), {}, ['https://orbs.example:9000/', undefined]],
    ['no key for another scheme', url('https://127.0.0.1:9000'), {}, ['https://127.0.0.1:9000/', undefined]],
    ['an empty variable as none', data, { ORB_SERVER: '', ORB_API_KEY: '' }, ['http://127.0.0.1:9000/', 'local-key']],
  ];
  for (const [why, argv, env, expected] of accepted) {
    it(`takes ${why}`, async () => expect(await find(argv, env)).to.deep.equal(expected));
  }

  const refused: readonly [string, readonly string[], Readonly<Record<string, string>>, string][] = [
    ['http to another machine', url('http://orbs.example'), {}, 'the key would be sent unencrypted'],
    [
      'http to a host that only looks like this machine',
      url('http://127.0.0.1.example'),
      {},
      'the key would be sent unencrypted',
    ],
    ['another scheme', url('ftp://orbs.example'), {}, 'it is no address'],
    ['no address', url('orbs'), {}, 'it is no address'],
    ['a query', url('https://orbs.example/?a'), {}, 'it is no address'],
    ['a user name, without showing it', url('https://me:hunter2@orbs.example'), {}, 'the address holds a user name'],
    ['a key that can not stand in a header', data, { ORB_API_KEY: 'a\nb' }, 'ORB_API_KEY holds no API key'],
    ['a key file that is not there', [...data, '--key-file', '/nowhere/key'], {}, 'there is no such file'],
  ];
  for (const [why, argv, env, message] of refused) {
    it(`refuses ${why}`, async () => {
      const error = await find(argv, env).catch(String);
      expect(error).to.include(message);
      expect(error).not.to.include('hunter2');
    });
  }

  describe('says where an address comes from', () => {
    const here = process.cwd();
    const home = mkdtempSync(join(tmpdir(), 'orb-server-here-'));
    before(() => {
      process.chdir(home);
      mkdirSync('.orb');
      writeFileSync('.orb/credentials.json', '{"url":"http://127.0.0.1:9","api_key":"local-key"}');
    });
    after(() => {
      process.chdir(here);
      rmSync(home, { recursive: true });
    });

    const REFUSED = "can't reach http://127.0.0.1:9: nothing listens there";
    const OTHER = '--server URL or --context NAME names another platform';

    for (const [why, env] of [
      ['with a kubeconfig', { KUBECONFIG: '/nowhere/config' }],
      ['without one', {}],
    ] as const)
      it(`when the folder decides, and when nothing listens there: ${why}`, async () => {
        expect(await say([], env)).to.equal(
          `calls http://127.0.0.1:9, which npm start left in .orb/credentials.json; ${OTHER}\n\n${REFUSED}\nthis address is from .orb/credentials.json; ${OTHER}`,
        );
      });

    it('of a folder only when nothing listens there, when the command line names it', async () => {
      expect(await say(['--data', '.orb'], {})).to.equal(
        `${REFUSED}\nthis address is from .orb/credentials.json; ${OTHER}`,
      );
    });

    it('of a variable', async () => {
      expect(await say([], { ORB_SERVER: 'http://127.0.0.1:9' })).to.equal(
        `${REFUSED}\nthis address is from ORB_SERVER; ${OTHER}`,
      );
    });

    it('and nothing of one that the command line names', async () => {
      expect(await say(['--server', 'http://127.0.0.1:9'], { KUBECONFIG: '/nowhere/config' })).to.equal(REFUSED);
    });
  });

  it('says which file is broken', async () => {
    writeFileSync(join(folder, 'credentials.json'), '{');
    expect(await find(data).catch(String)).to.include(
      `${join(folder, 'credentials.json')}: it can't be read (no JSON)`,
    );
  });
});
