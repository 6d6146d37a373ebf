import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { dialFrom, dialMany } from '../../../test/support/attacks/attacked.ts';
import { ADDRESSES, type AttackSettings } from './parts.ts';

/** An attack that never ends by itself: its process is stopped. */
export type Attack = (settings: AttackSettings) => Promise<never>;

const SECOND = 1000;
const ENDLESS = 2 ** 31 - 1;

const forever = async (): Promise<never> => {
  for (;;) await delay(ENDLESS);
};

/** Repeats work with pauses. */
async function again(pauseMs: number, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await work();
    await delay(pauseMs);
  }
}

const end = (sockets: readonly Socket[]): void => {
  for (const socket of sockets) socket.destroy();
};

/** Keeps 8 400 idle connections open, from twelve addresses: what is closed is opened again. */
const idle: Attack = ({ port }) => {
  const open = Array.from({ length: 12 }, (): Socket[] => []);
  return again(SECOND, async () => {
    for (const [at, sockets] of open.entries()) {
      const left = sockets.filter((socket) => !socket.destroyed);
      left.push(...(await dialMany(port, 700 - left.length, `127.0.1.${at + 1}`)));
      open[at] = left;
    }
  });
};

const BYTES = 65_536;

/** 50 connections that pipeline 64 KiB of requests and never read, again every second. */
const unread: Attack = ({ port }) =>
  again(0, async () => {
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
    const sockets = await dialMany(port, 50, ADDRESSES.hostile);
    for (const socket of sockets) socket.pause().write(request.repeat(Math.ceil(BYTES / request.length)));
    await delay(SECOND);
    end(sockets);
  });

const BODY_BYTES = 1_000_000;
const HELD_MS = 4000;

/** 500 bodies of 1 MB that lack their last byte, again when all are sent. */
const halfSent: Attack = ({ port, key }) =>
  again(0, async () => {
    const head = `POST /policies/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    const text = Buffer.from(`${head}Content-Length: ${BODY_BYTES}\r\n\r\n${'x'.repeat(BODY_BYTES - 1)}`);
    const sockets: Socket[] = [];
    for (let at = 0; at < 500; at += 1) {
      const socket = await dialFrom(port, ADDRESSES.hostile);
      socket.resume().write(text);
      sockets.push(socket);
    }
    await delay(HELD_MS);
    end(sockets);
  });

/** Bodies in chunks of one byte, ten at a time. */
const singleBytes: Attack = ({ port, key }) =>
  again(SECOND, async () => {
    const head = `POST /policies/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    const text = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(500_000)}`);
    const sockets = await dialMany(port, 10, ADDRESSES.hostile);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(text, resolve))));
    end(sockets);
  });

const DRIPS_MS = 250;

/** 1 000 connections that drip: half of them their headers, half a body with a key. */
const drips: Attack = ({ port, key }) => {
  const heads = [
    'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    `POST /policies/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  ];
  const open: Socket[] = [];
  return again(DRIPS_MS, async () => {
    for (let at = 0; at < 1000; at += 1) {
      const socket = open[at];
      if (socket !== undefined && !socket.destroyed) socket.write('x');
      else {
        const fresh = await dialFrom(port, ADDRESSES.hostile);
        fresh.resume().write(heads[at % heads.length] ?? '');
        open[at] = fresh;
      }
    }
  });
};

/** Nothing: the other tenant is alone. */
const none: Attack = () => forever();

export const CONNECTION_ATTACKS = {
  alone: { what: 'no attack: the other tenant alone', run: none },
  idle: { what: '8 400 idle connections of twelve addresses', run: idle },
  unread: { what: '50 connections pipeline 64 KiB each and never read', run: unread },
  'half-sent': { what: '500 bodies of 1 MB that lack a byte', run: halfSent },
  chunks: { what: 'bodies in chunks of one byte, 10 at a time', run: singleBytes },
  drips: { what: '1 000 connections drip headers and bodies', run: drips },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly run: Attack }>>;
