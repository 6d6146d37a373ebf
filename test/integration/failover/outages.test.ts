import { expect } from 'chai';
import { answersOk, inWorld, ORB, serves, status, ReplaceableScript } from '../../conformance/world.ts';

const broken = status('503 Service Unavailable');

describe('an outage of every provider', function outages() {
  this.timeout(120_000);

  it('answers providers-unavailable with Retry-After, lets one run per slot through, and is back within 15 s', async () => {
    const [a, b] = [new ReplaceableScript(broken), new ReplaceableScript(broken)];
    await inWorld({ places: { a: a.place(), b: b.place() } }, async (world) => {
      const codes: unknown[] = [];
      for (let run = 0; run < 8; run += 1) codes.push((await world.run()).code);
      expect(codes.slice(0, 5)).to.deep.equal(Array.from({ length: 5 }, () => 'provider-failed'));
      expect(codes.slice(5)).to.deep.equal(Array.from({ length: 3 }, () => 'providers-unavailable'));
      const hits = (): number => world.server('a').requests.length + world.server('b').requests.length;
      expect(hits()).to.equal(10);

      const refused = await world.run();
      expect([refused.status, refused.body['maybe_executed']]).to.deep.equal([502, undefined]);
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 5);
      expect(await world.attempts(refused)).to.deep.equal([]);
      expect(await world.metric('orb_provider_breaker_state', 'a')).to.equal(2);

      for (let minute = 0; minute < 10; minute += 1) {
        world.skip(60_000);
        const all = await Promise.all(Array.from({ length: 10 }, () => world.run()));
        const sent = all.filter(({ code }) => code === 'provider-failed').length;
        expect(sent, 'runs in a half-open slot of a and of b').to.be.within(1, 2);
      }

      b.script = answersOk('b');
      world.skip(15_000);
      const back = await world.run();
      expect(back.status).to.equal(200);
      const after = await Promise.all(Array.from({ length: 20 }, () => world.run()));
      expect(after.filter((answered) => answered.status !== 200)).to.deep.equal([]);
      expect(world.runtime.runtime.failover.breakers('acme', ORB)['b']).to.equal('closed');
    });
  });

  it('keeps the effective provider: when it is back, it is called again', async () => {
    const a = new ReplaceableScript(broken);
    await inWorld({ places: { a: a.place(), b: serves(answersOk('b')) } }, async (world) => {
      for (let run = 0; run < 10; run += 1) expect((await world.run()).body['outputs']).to.deep.equal({ id: 'b' });
      a.script = answersOk('a');
      expect((await world.run()).body['outputs']).to.deep.equal({ id: 'b' });
      world.skip(5000);
      expect((await world.run()).body['outputs']).to.deep.equal({ id: 'a' });
      expect(await world.metric('orb_provider_breaker_state', 'a')).to.equal(0);
    });
  });

  it('leaves a provider alone that asks for it, and says in what state it is', async () => {
    const a = serves(status('503 Service Unavailable', ['retry-after: 120']));
    await inWorld({ places: { a, b: serves(answersOk('b')) } }, async (world) => {
      await world.run();
      const before = Date.now();
      const { failover } = world.runtime.runtime;
      expect(failover.breakers('acme', ORB)).to.deep.equal({ a: 'closed', b: 'closed' });
      expect(Object.keys(failover.cooling('acme', ORB))).to.deep.equal(['a']);
      expect(failover.cooling('acme', ORB)['a']).to.be.within(before + 100_000, before + 120_000);
      world.skip(119_000);
      await world.run();
      expect(world.server('a').requests).to.have.lengthOf(1);
      world.skip(1500);
      expect(failover.cooling('acme', ORB)).to.deep.equal({});
      await world.run();
      expect(world.server('a').requests).to.have.lengthOf(2);
    });
  });
});
