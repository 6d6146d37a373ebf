// A separate program: it needs a network where a public address belongs to this machine, and an authority that Node
// trusts from its start. Prints a result as JSON.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { answer } from '../../support/egress.ts';
import { Checks } from '../scenario.ts';
import { answersOk, inWorld, serves } from '../world.ts';

const [certFile = '', keyFile = '', publicAddress = ''] = process.argv.slice(2);
const LOOPBACK = '127.0.0.1';
const PORT = 443;

/** Counts connections before any data is sent. */
async function listen(host: string): Promise<{ readonly connections: () => number; readonly close: () => void }> {
  let connections = 0;
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(answer('{"id":"a"}', ['content-type: application/json', 'connection: close'])),
    );
  });
  server.on('connection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  server.listen(PORT, host);
  await once(server, 'listening');
  return { connections: () => connections, close: () => void server.close() };
}

const checks = new Checks();
const [outer, inner] = [await listen(publicAddress), await listen(LOOPBACK)];
const answers = [publicAddress, LOOPBACK];
let lookUps = 0;
const resolve = (): Promise<{ address: string; family: number }[]> => {
  const address = answers[Math.min(lookUps, answers.length - 1)] ?? LOOPBACK;
  lookUps += 1;
  return Promise.resolve([{ address, family: 4 }]);
};
await inWorld({ places: { a: { kind: 'unknown' }, b: serves(answersOk('b')) }, resolve }, async (world) => {
  checks.equal('the first run', await world.path(await world.run()), 'a success');
  checks.equal('look-ups for it', lookUps, 1);
  checks.equal('the second run', await world.path(await world.run()), 'a blocked, b success');
});
checks.equal('connections to the public address', outer.connections(), 1);
checks.equal('connections to loopback', inner.connections(), 0);
outer.close();
inner.close();
process.stdout.write(JSON.stringify(checks.result()));
