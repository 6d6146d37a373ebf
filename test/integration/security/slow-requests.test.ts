import { expect } from 'chai';
import { dialFrom, figures, startAttacked, type Attacked } from '../../support/attacks/attacked.ts';

const EVERY_MS = 50;
/** Node looks for late requests once a second, and a busy machine needs its time too. */
const LATE_MS = 3000;

interface Dripped {
  readonly answer: string;
  readonly tookMs: number;
}

/** Sends the head at once, then one byte at a time until the server ends it. */
async function drip(port: number, head: string): Promise<Dripped> {
  const startedAt = performance.now();
  const socket = await dialFrom(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk))).write(head);
  const timer = setInterval(() => socket.write('x'), EVERY_MS);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return { answer, tookMs: performance.now() - startedAt };
}

describe('requests that drip (security.md S6)', function suite() {
  this.timeout(30_000);
  let attacked: Attacked;
  before(async () => {
    attacked = await startAttacked('--headers-timeout=1s', '--request-timeout=2s');
  });
  after(async () => {
    expect(await attacked.stop()).to.equal(0);
  });

  it('end by the deadline with 408, in their headers and in their bodies', async () => {
    const key = `Authorization: Bearer ${attacked.ready.api_key}\r\n`;
    const post = `POST /policies/validate HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\n`;
    const drips: readonly (readonly [why: string, head: string, deadlineMs: number])[] = [
      ['headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ', 1000],
      ['body', `${post}Content-Length: 100000\r\n\r\n`, 2000],
      ['body without a key', 'POST /ingest/any HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n', 2000],
    ];
    const ended = await Promise.all(drips.map(([, head]) => drip(attacked.port, head)));
    for (const [at, { answer, tookMs }] of ended.entries()) {
      const [why, , deadlineMs = 0] = drips[at] ?? [];
      figures(`${why}: ended after ${tookMs.toFixed(0)} ms`);
      expect(answer, why).to.match(/^HTTP\/1\.1 408 [^]*application\/problem\+json[^]*"code":"request-timeout"/i);
      expect(tookMs, why).to.be.within(deadlineMs - EVERY_MS, deadlineMs + LATE_MS);
    }
    expect(await attacked.metric('orb_http_refusals_total{reason="request-timeout"}')).to.equal(drips.length);
  });
});
