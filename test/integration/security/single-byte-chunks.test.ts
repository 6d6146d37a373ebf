import { expect } from 'chai';
import { dialFrom, figures, startAttacked, type Attacked } from '../../support/attacks/attacked.ts';
import { watchCaller, watchedText } from '../../support/attacks/watch-caller.ts';

const BODIES = 10;
const CHUNKS = 500_000;
const MOST_MB = 64;
const MOST_MS = 1000;
const PATHS = ['/health', '/readyz'];

describe('bodies in chunks of one byte (security.md S6)', function suite() {
  this.timeout(60_000);
  let attacked: Attacked;
  before(async () => {
    attacked = await startAttacked();
  });
  after(async () => {
    expect(await attacked.stop()).to.equal(0);
  });

  it('cost no more memory than other bodies, and no other caller its time', async () => {
    const head = `POST /policies/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacked.ready.api_key}\r\n`;
    const text = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(CHUNKS)}`;
    const stop = watchCaller(attacked, PATHS);
    const before = attacked.residentMb();
    let most = before;
    const sockets = [];
    for (let at = 0; at < BODIES; at += 1) {
      const socket = await dialFrom(attacked.port, '127.0.1.1');
      sockets.push(socket);
      await new Promise((resolve) => socket.write(text, resolve));
      most = Math.max(most, attacked.residentMb());
    }
    const watched = await stop();
    for (const socket of sockets) socket.destroy();
    const grown = most - before;
    figures(`${watchedText(watched)}, +${grown.toFixed(0)} MB`);
    expect(grown).to.be.lessThan(MOST_MB);
    expect(watched.failed).to.equal(0);
    expect(watched.worstMs).to.be.lessThan(MOST_MS);
  });
});
