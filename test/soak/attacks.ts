import { setTimeout as delay } from 'node:timers/promises';
import { converse, dialFrom, dialMany } from '../support/attacks/attacked.ts';
import type { Standalone } from '../support/standalone.ts';

/** Attackers call from an address of their own: bounds by address must not meet the callers beside them. */
const ATTACKER = '127.0.3.1';
const HOLD_MS = 3000;
const PATH = '/orbisets/default/execute';

/** What an attack needs to know. */
interface Target extends Pick<Standalone, 'ready' | 'post' | 'get'> {
  readonly port: number;
}

const headOf = ({ ready }: Target, length: number, ...lines: readonly string[]): string =>
  [
    `POST ${PATH} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${ready.api_key}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Opens connections, sends each the same bytes, reads nothing, and closes them after a while. */
async function hold({ port }: Target, count: number, text: string): Promise<void> {
  const sockets = await dialMany(port, count, ATTACKER);
  for (const socket of sockets) socket.pause().write(text);
  await delay(HOLD_MS);
  for (const socket of sockets) socket.destroy();
}

async function drip({ port }: Target): Promise<void> {
  const sockets = await dialMany(port, 20, ATTACKER);
  for (const byte of 'GET /health HT') {
    for (const socket of sockets) socket.write(byte);
    await delay(100);
  }
  for (const socket of sockets) socket.destroy();
}

const MALFORMED = [
  'GET /health HTTP/1.1\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\n\r\n',
  'NONSENSE\r\n\r\n',
];

/** Bodies that are refused, each for another reason. */
const BAD_BODIES = [
  '{"orb_id":',
  '[]',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  JSON.stringify({ orb_id: 'no.such@1.0.0', inputs: {} }),
  JSON.stringify({ orb_id: 'soak.send@1.0.0', inputs: { text: 1, other: 'x'.repeat(10_000) } }),
  JSON.stringify({
    orb_id: 'soak.send@1.0.0',
    inputs: Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [n, n])),
  }),
];

async function badBodies({ post }: Target): Promise<void> {
  for (let round = 0; round < 5; round += 1)
    for (const body of BAD_BODIES) {
      const answer = await post(PATH, body);
      const text = await answer.text();
      if (answer.status < 400 || answer.status >= 500) throw new Error(`a bad body got ${answer.status}: ${text}`);
    }
}

async function badKeys({ get }: Target): Promise<void> {
  for (let count = 0; count < 50; count += 1) {
    const answer = await get('/receipts', { authorization: `Bearer orb_wrong_${count}` });
    await answer.text();
    if (![401, 429].includes(answer.status)) throw new Error(`a wrong key got ${answer.status}`);
  }
}

/** By name; each closes what it has opened. */
export const ATTACKS: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
  'idle connections': (target) => hold(target, 200, ''),
  'answers not read': (target) => hold(target, 30, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(800)),
  'half-sent bodies': (target) => hold(target, 60, `${headOf(target, 1_000_000)}${' '.repeat(200_000)}`),
  'slow heads': drip,
  'malformed requests': ({ port }) => Promise.all(MALFORMED.map((text) => converse(port, [text], HOLD_MS))),
  'bad bodies': badBodies,
  'wrong keys': badKeys,
  'cut in the middle': async (target) => {
    for (let count = 0; count < 50; count += 1) {
      const socket = await dialFrom(target.port, ATTACKER);
      const body = JSON.stringify({ orb_id: 'soak.send@1.0.0', inputs: { text: 'cut' } });
      socket.write(`${headOf(target, body.length)}${body}`);
      await delay(count % 5);
      socket.destroy();
    }
  },
};
