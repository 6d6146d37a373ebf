import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { orbManifest } from '../../support/orbs.ts';
import { codeOf, startStandalone, type Standalone } from '../../support/standalone.ts';

// Every literal form of security.md §3.3, and names of the loopback interface: Node connects to all of them.
const HOSTS = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '127.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[0:0:0:0:0:0:0:1]',
  '0.0.0.0',
  '0',
  '[::]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  'ip6-localhost',
] as const;

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

let connections = 0;

const listening = (host: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });

describe('an Orb whose URL is a literal address', function () {
  this.timeout(120_000);
  const servers: Server[] = [];
  let standalone: Standalone;
  const rows: { readonly name: string; readonly url: string }[] = [];

  before(async () => {
    const first = await listening('127.0.0.1', 0);
    servers.push(first);
    const port = portOf(first);
    // The same port on IPv6, where the machine has it.
    const second = await listening('::1', port).catch(() => undefined);
    if (second !== undefined) servers.push(second);
    for (const scheme of ['https', 'http'])
      for (const [index, host] of HOSTS.entries()) {
        rows.push({ name: `${scheme}-${index}`, url: `${scheme}://${host}:${port}/` });
        rows.push({ name: `${scheme}-${index}-default`, url: `${scheme}://${host}/` });
      }
    const files = rows.map(({ name, url }) => [`${name}.json`, orbManifest(`lit.${name}@1.0.0`, { url })] as const);
    standalone = await startStandalone({ resources: Object.fromEntries(files) });
  });

  after(async () => {
    await standalone.stop();
    for (const server of servers) server.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  async function answerOf(name: string): Promise<string> {
    const body = { orb_id: `lit.${name}@1.0.0`, inputs: { text: 'x' } };
    const response = await standalone.post('/orbisets/default/execute', body);
    const answer: unknown = await response.json();
    return `${response.status} ${codeOf(answer)}`;
  }

  for (const [index, host] of HOSTS.entries()) {
    it(`is refused and connects to nothing: ${host}`, async () => {
      const names = rows.filter(({ name }) => name.split('-')[1] === String(index)).map(({ name }) => name);
      expect(names.length).to.equal(4);
      const answers = await Promise.all(names.map(answerOf));
      const refused = ['409 orb-not-ready', '502 provider-failed'];
      for (const answer of answers) expect(refused, `${host}: ${answers.join(', ')}`).to.include(answer);
      expect(connections).to.equal(0);
    });
  }

  it('would be seen connecting: the listener counts what reaches it', async () => {
    const [server] = servers;
    await fetch(`http://127.0.0.1:${server === undefined ? 0 : portOf(server)}/`).catch(() => undefined);
    expect(connections).to.be.greaterThan(0);
  });
});
