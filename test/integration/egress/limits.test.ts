import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { expect } from 'chai';
import type { DialResult } from '../../../adapters/egress/port.ts';
import {
  aDialer,
  allowAnyUrl,
  briefResult,
  dial,
  neverAborted,
  ORIGIN,
  provided,
  answersWith,
  stubbed,
} from '../../support/dialing.ts';
import { answer, aRequest, rawServer, someLimits, type Script } from '../../support/egress.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Writes again and again until the connection is gone. */
const every =
  (ms: number, first: string, again: string): Script =>
  (socket: Socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(again), ms);
    socket.on('close', () => clearInterval(timer));
  };

/** As fast as the other side takes it. */
const flood =
  (text: string): Script =>
  (socket: Socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(text));
      if (!socket.destroyed) socket.once('drain', () => setImmediate(more));
    };
    more();
  };

/** Of security.md S6: what has a time ends so much later at most. */
const LATE_MS = 200;
/** A timer may come so much early, as its clock is a coarser one. */
const EARLY_MS = 10;

/** When a bare timer that began now has fired. */
const timer = (ms: number): Promise<number> => delay(ms).then(() => performance.now());

/**
 * Checks that a call took its time and ended within 200 ms behind a bare timer of that time, which began with it: a machine
 * that stands still makes both late.
 */
async function checkEnds(asked: Promise<DialResult>, ms: number, bare = timer(ms)): Promise<DialResult> {
  const result = await asked;
  const ended = performance.now();
  expect(result.ms).to.be.at.least(ms - EARLY_MS);
  expect(ended - (await bare), `ms behind a timer of ${ms} ms`).to.be.below(LATE_MS);
  return result;
}

const ENDLESS: readonly (readonly [why: string, script: Script, status: number | null])[] = [
  ['no answer', () => undefined, null],
  ['dripped headers', every(100, HEAD, 'x: y\r\n'), null],
  ['answers with 102', every(100, '', 'HTTP/1.1 102 Processing\r\n\r\n'), null],
  ['a flood of 102', flood('HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)), null],
  ['a dripped body', every(100, `${HEAD}content-length: 100000\r\n\r\n`, 'x'), 200],
  ['dripped chunks', every(100, `${HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n'), 200],
];

describe('the deadline', () => {
  for (const [why, script, status] of ENDLESS) {
    it(`of 2000 ms ends ${why} within 200 ms`, async () => {
      const result = await provided(script, (dialer) => {
        const asked = dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), allowAnyUrl, AbortSignal.timeout(2000));
        return checkEnds(asked, 2000);
      });
      expect(briefResult(result)).to.equal(`timeout deadline sent=true status=${status}`);
    });
  }

  it('ends the wait for one of 256 connections, and the rest of a queue is served', async () => {
    const held: Socket[] = [];
    await provided(
      (socket) => {
        held.push(socket);
      },
      async (dialer, server) => {
        const all = Array.from({ length: 256 }, () =>
          dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ connectTimeoutMs: 3000 })),
        );
        while (held.length < all.length) await new Promise(setImmediate);
        const asked = dialer.dial(aRequest(`${ORIGIN}/late`), someLimits(), allowAnyUrl, AbortSignal.timeout(2000));
        expect(briefResult(await checkEnds(asked, 2000))).to.equal('timeout deadline sent=false status=null');
        const queued = dial(dialer, aRequest(`${ORIGIN}/queued`));
        expect([server.connections(), held.length]).to.deep.equal([256, 256]);
        for (const socket of held.splice(0)) socket.write(answer('ok'));
        const results = new Set((await Promise.all(all)).map(briefResult));
        while (held.length === 0) await new Promise(setImmediate);
        held[0]?.write(answer('queued'));
        expect([[...results], briefResult(await queued), server.connections()]).to.deep.equal([
          ['200 ok'],
          '200 queued',
          256,
        ]);
      },
    );
  });
});

describe('the connect timeout', () => {
  it('ends a TLS handshake that nobody answers', async () => {
    const server = await rawServer(() => undefined);
    const dialer = stubbed(server);
    const result = await checkEnds(dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ connectTimeoutMs: 300 })), 300);
    expect(briefResult(result)).to.equal('timeout connect-timeout sent=false status=null');
    await dialer.destroy();
    await server.close();
  });

  it('ends a lookup that nobody answers, and is never above 3 s', async () => {
    const dialer = aDialer({ resolve: () => new Promise(() => undefined) });
    const results = await Promise.all([
      checkEnds(dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ connectTimeoutMs: 100 })), 100),
      checkEnds(dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ connectTimeoutMs: 60_000 })), 3000),
    ]);
    expect(results.map(briefResult)).to.deep.equal(Array(2).fill('timeout connect-timeout sent=false status=null'));
    await dialer.destroy();
  });
});

/** Five bytes, one every 700 ms. */
const slowly: Script = (socket) => {
  const next = (at: number): void => {
    socket.write(String(at));
    if (at < 5) setTimeout(next, 700, at + 1);
  };
  socket.write(`${HEAD}content-length: 5\r\n\r\n`);
  setTimeout(next, 700, 1);
};

describe('the body idle time', () => {
  it('ends a body that stalls, and says which status had come', async () => {
    const sent = Promise.withResolvers<number>();
    const script: Script = (socket) => {
      socket.write(`${HEAD}content-length: 9\r\n\r\nhel`);
      sent.resolve(timer(300));
    };
    const result = await provided(script, (dialer) =>
      checkEnds(dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ bodyIdleMs: 300 })), 300, sent.promise),
    );
    expect(briefResult(result)).to.equal('timeout body-idle sent=true status=200');
  });

  it('begins anew with every byte', async () => {
    // A machine that stands still for two seconds between two bytes does no harm.
    const limits = someLimits({ bodyIdleMs: 3000 });
    const result = await provided(slowly, (dialer) => dial(dialer, aRequest(`${ORIGIN}/`), limits));
    expect(briefResult(result)).to.equal('200 12345');
    expect(result.ms).to.be.above(3000);
  });
});

/** A gzip body of 200 MiB of zeros, about 200 KB on the wire. */
async function bomb(): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const zeros = Buffer.alloc(1_048_576);
  for (let at = 0; at < 200; at += 1)
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve));
  await new Promise<void>((resolve) => {
    gzip.once('end', resolve).end();
  });
  return Buffer.concat(chunks);
}

describe('a bomb', () => {
  it('of 200 MiB costs no more than the cap', async () => {
    const body = await bomb();
    await provided(answersWith(answer(body, ['content-encoding: gzip'])), async (dialer) => {
      globalThis.gc?.();
      const before = process.memoryUsage.rss();
      const results: string[] = [];
      for (let round = 0; round < 10; round += 1) results.push(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`))));
      expect(new Set(results)).to.deep.equal(new Set(['response response-too-large sent=true status=200']));
      expect(process.memoryUsage.rss() - before).to.be.below(64 * 1_048_576);
    });
  });

  it('of endless chunks stops at the cap, and its connection is broken', async () => {
    let written = 0;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const script: Script = (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      const more = (): void => {
        if (socket.destroyed) return;
        written += chunk.length;
        socket.write(chunk, () => setImmediate(more));
      };
      more();
    };
    await provided(script, async (dialer) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`));
      expect(briefResult(result)).to.equal('response response-too-large sent=true status=200');
      expect(written).to.be.below(8 * 1_048_576);
    });
  });
});

describe('many requests at once', () => {
  it('never open more than 256 connections to an origin', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const all = Array.from({ length: 2000 }, () =>
        dialer.dial(aRequest(`${ORIGIN}/`), someLimits({ connectTimeoutMs: 3000 }), allowAnyUrl, neverAborted()),
      );
      expect(new Set((await Promise.all(all)).map(briefResult))).to.deep.equal(new Set(['200 ok']));
      expect(server.connections()).to.be.within(2, 256);
      expect(server.requests.length).to.equal(2000);
    });
  });
});
