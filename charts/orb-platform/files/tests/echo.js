// Run by `helm test`: executes the example as a ServiceAccount, and verifies its receipt offline by the root's public key.
import { execFile } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const BUNDLE = '/tmp/receipt.json';
// Just after an install the operator has not looked at the Orb yet.
const TRIES = 15;
const WAIT_MS = 2000;

const caller = ['-n', process.env.EXAMPLE_NAMESPACE, '--key-file', '/var/run/secrets/orb/token'];
const server = new URL(process.env.ORB_SERVER);

const ended = () => undefined;
const listening = (relay) =>
  new Promise((resolve) => relay.listen(0, '127.0.0.1', () => resolve(relay.address().port)));

/** Where TLS ends before the API, a token travels in clear within the cluster; the command line sends it to loopback only. */
async function addressOf({ protocol, hostname, port, href }) {
  if (protocol === 'https:') return href;
  const relay = createServer((socket) => {
    const way = connect(port === '' ? 80 : Number(port), hostname);
    pipeline(socket, way, ended);
    pipeline(way, socket, ended);
  }).unref();
  return `http://127.0.0.1:${await listening(relay)}`;
}

const orb = (...args) =>
  new Promise((resolve) => {
    const child = execFile('orb', args, (error, stdout) => resolve({ ok: error === null, stdout }));
    child.stderr.pipe(process.stderr);
  });

async function orbOk(...args) {
  const { ok, stdout } = await orb(...args);
  if (!ok) throw new Error(`orb ${args.join(' ')} failed: ${stdout}`);
  return stdout;
}

async function run(text, place) {
  for (let left = TRIES; ; left -= 1) {
    const { ok, stdout } = await orb('run', 'example.echo@1.0.0', `text=${text}`, ...place, '-o', 'json');
    if (ok) return JSON.parse(stdout);
    if (left === 0) throw new Error(`the example was not executed: ${stdout}`);
    await delay(WAIT_MS);
  }
}

const place = ['--server', await addressOf(server), ...caller];
const text = `helm test ${new Date().toISOString()}`;
const { outputs, receipt } = await run(text, place);
if (outputs.text !== text) throw new Error(`"${text}" came back as "${outputs.text}"`);
await orbOk('receipts', 'get', receipt.receipt_id, '--bundle', BUNDLE, ...place);
process.stdout.write(await orbOk('verify', BUNDLE, '--root', '/etc/orb/keys/root.jwk'));
