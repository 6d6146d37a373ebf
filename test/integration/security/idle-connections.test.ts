import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { dialMany, figures, startAttacked, type Attacked } from '../../support/attacks/attacked.ts';
import { watchCaller, watchedText } from '../../support/attacks/watch-caller.ts';

const PATHS = ['/livez', '/readyz', '/health'];
const SECOND = 1000;

describe('8 400 idle connections (security.md S6)', function suite() {
  this.timeout(60_000);
  let attacked: Attacked;
  beforeEach(async () => {
    attacked = await startAttacked();
  });
  afterEach(async () => {
    expect(await attacked.stop()).to.equal(0);
  });

  const attacks: readonly (readonly [string, number, string])[] = [
    ['one address', 1, 'connections-per-address'],
    ['twelve addresses', 12, 'connections'],
  ];
  for (const [from, addresses, reason] of attacks) {
    it(`of ${from} lock no other caller out: everybody else is answered within a second`, async () => {
      const stop = watchCaller(attacked, PATHS);
      const before = attacked.residentMb();
      const opened = [];
      for (let at = 0; at < addresses; at += 1) {
        opened.push(...(await dialMany(attacked.port, 8400 / addresses, `127.0.1.${at + 1}`)));
      }
      await delay(SECOND);
      const grown = attacked.residentMb() - before;
      const refused = await attacked.metric(`orb_http_refusals_total{reason="${reason}"}`);
      const watched = await stop();
      for (const socket of opened) socket.destroy();
      figures(`${watchedText(watched)}, +${grown.toFixed(0)} MB`);
      expect(watched.failed).to.equal(0);
      expect(watched.calls).to.be.greaterThan(5);
      expect(watched.worstMs).to.be.lessThan(SECOND);
      expect(refused).to.be.greaterThan(0);
    });
  }
});
