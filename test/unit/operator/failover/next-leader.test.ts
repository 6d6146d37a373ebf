import { expect } from 'chai';
import { conditionOf } from '../../../../core/reconcile/read-object.ts';
import { failing, mail, recovered, slow, startLoop, TICK } from '../../../support/operator-loop.ts';

type World = Awaited<ReturnType<typeof startLoop>>;

const swaps = (reported: World['reported']): readonly string[] =>
  reported.filter(({ reason }) => reason === 'ProviderChanged').map(({ note, id = '' }) => `${id} ${note}`);

describe('swap loop after another leader', () => {
  let world: World;
  const others: World[] = [];
  beforeEach(async () => {
    world = await startLoop();
    await world.apply(mail());
  });
  afterEach(async () => {
    for (const other of [world, ...others.splice(0)]) await other.stop();
  });

  const next = async (): Promise<World> => {
    await world.stop();
    const other = await startLoop({ after: world, epoch: 2 });
    others.push(other);
    return other;
  };

  it('does not go back before the hold ends', async () => {
    world.say(failing);
    await world.ticks(2);
    const { holds } = world.status();
    const until = holds[0]?.until ?? 0;
    const other = await next();
    other.say(recovered);
    await other.ticks(Math.floor((until - other.clock.now()) / TICK) - 1);
    expect(other.status()).to.include({ activeProvider: 'b', ramp: null });
    await other.ticks(2);
    expect(other.status().ramp).to.include({ provider: 'a', percent: 10 });
  });

  it('goes on with a ramp at the same percent', async () => {
    world.say(failing);
    await world.ticks(2);
    world.say(recovered);
    while (world.status().ramp?.percent !== 50) await world.ticks(1);
    const { ramp } = world.status();
    const other = await next();
    other.say(recovered);
    await other.ticks(1);
    expect(other.status().ramp).to.deep.equal(ramp);
    await other.ticks(4);
    expect(other.status()).to.include({ activeProvider: 'a', swapSeq: 2, epoch: 2 });
  });

  it('stays frozen until the freeze ends', async () => {
    await world.apply(mail({ dwell: { max_swaps_per_hour: 1, jitter: 0 } }));
    world.say(failing);
    await world.ticks(2);
    world.say(recovered);
    while (world.status().frozen === null) await world.ticks(1);
    expect(conditionOf(world.orb(), 'FailoverFrozen')).to.include({ status: 'True', reason: 'TooManySwaps' });
    const { swapSeq, activeProvider } = world.status();
    const other = await next();
    other.say(activeProvider === 'a' ? slow : recovered);
    await other.ticks(200);
    expect(other.status()).to.include({ swapSeq, activeProvider });
    await other.ticks(60);
    expect(conditionOf(other.orb(), 'FailoverFrozen')).to.equal(undefined);
  });

  it('reports the last swap again, as the same Event: the one before may have ended in between', async () => {
    world.say(failing);
    await world.ticks(2);
    const other = await next();
    await other.apply(mail());
    expect(swaps(other.reported)).to.deep.equal(swaps(world.reported));
    await other.apply(mail({ dwell: { min: '30s' } }));
    expect(other.reported.filter(({ reason }) => reason === 'ProviderChanged')).to.have.length(1);
  });

  it('waits for usable metrics: without them nothing is decided', async () => {
    world.say(slow);
    await world.ticks(2);
    const other = await next();
    other.say(() => 'timeout');
    await other.ticks(10);
    expect(other.status()).to.include({ activeProvider: 'a', swapSeq: 0 });
    other.say(slow);
    await other.ticks(2);
    expect(other.status()).to.include({ activeProvider: 'a' });
    await other.ticks(1);
    expect(other.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
  });
});
