import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { dialMany, figures, startAttacked, type Attacked } from '../../support/attacks/attacked.ts';
import { watchCaller, watchedText } from '../../support/attacks/watch-caller.ts';

const REQUEST = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const BYTES = 65_536;
const MOST_MB = 64;
const MOST_MS = 200;
const ROUNDS = 3;

describe('50 connections that pipeline 64 KiB of requests and never read (security.md S6)', function suite() {
  this.timeout(60_000);
  let attacked: Attacked;
  before(async () => {
    attacked = await startAttacked();
  });
  after(async () => {
    expect(await attacked.stop()).to.equal(0);
  });

  it('cost little memory and no other caller its time', async () => {
    await attacked.get('/openapi.json').then((answer) => answer.text());
    const stop = watchCaller(attacked, ['/health', '/readyz']);
    const memory = attacked.residentMb();
    let most = memory;
    for (let round = 0; round < ROUNDS; round += 1) {
      const sockets = await dialMany(attacked.port, 50, '127.0.1.1');
      for (const socket of sockets) socket.pause().write(REQUEST.repeat(Math.ceil(BYTES / REQUEST.length)));
      for (let wait = 0; wait < 10; wait += 1) {
        await delay(100);
        most = Math.max(most, attacked.residentMb());
      }
      for (const socket of sockets) socket.destroy();
    }
    const refused = await attacked.metric('orb_http_refusals_total{reason="waiting-requests"}');
    const watched = await stop();
    const grown = most - memory;
    figures(`${watchedText(watched)}, +${grown.toFixed(0)} MB`);
    expect(grown).to.be.lessThan(MOST_MB);
    expect(watched.worstMs).to.be.lessThan(MOST_MS);
    expect(watched.failed).to.equal(0);
    expect(refused).to.equal(50 * ROUNDS);
  });
});
