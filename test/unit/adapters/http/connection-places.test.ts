import { expect } from 'chai';
import { ConnectionPlaces, type Place } from '../../../../adapters/http/connection-places.ts';

interface Rig {
  readonly places: ConnectionPlaces;
  /** Takes a place under this name. */
  readonly take: (name: string, address: string, isReceiving?: boolean) => Place | undefined;
  /** Names of the closed connections, in order. */
  readonly closed: string[];
  readonly reasons: string[];
}

function rig(together: number, perAddress: number, isBounded = true): Rig {
  const [closed, reasons]: [string[], string[]] = [[], []];
  const places = new ConnectionPlaces({ together, perAddress }, (reason) => void reasons.push(reason));
  const take: Rig['take'] = (name, address, isReceiving = false) =>
    places.take(address, isBounded, { close: () => void closed.push(name), isReceiving: () => isReceiving });
  return { places, take, closed, reasons };
}

describe('ConnectionPlaces', () => {
  it('gives the place of the longest idle connection of an address to its next one', () => {
    const { take, closed, reasons } = rig(0, 3);
    const [first] = ['one', 'two', 'three'].map((name) => take(name, 'a'));
    // A request makes it the last one to be idle.
    first?.busy();
    first?.rest();
    take('four', 'a');
    take('five', 'a');
    take('other', 'b');
    expect(closed).to.deep.equal(['two', 'three']);
    expect(reasons).to.deep.equal(['connections-per-address', 'connections-per-address']);
  });

  it('takes from the address that has most when all are too many', () => {
    const { take, closed, reasons } = rig(5, 0);
    for (const name of ['a1', 'a2']) take(name, 'a');
    for (const name of ['b1', 'b2', 'b3']) take(name, 'b');
    take('c1', 'c');
    take('c2', 'c');
    expect(closed).to.deep.equal(['b1', 'a1']);
    expect(reasons).to.deep.equal(['connections', 'connections']);
  });

  it('passes by an address with more connections that are all at work', () => {
    const { take, closed } = rig(4, 0);
    for (const name of ['a1', 'a2', 'a3']) take(name, 'a')?.busy();
    take('b1', 'b');
    take('c1', 'c');
    expect(closed).to.deep.equal(['b1']);
  });

  it('takes from requests that have not arrived whole when no connection is idle', () => {
    const { take, closed } = rig(0, 2);
    take('working', 'a')?.busy();
    take('receiving', 'a', true)?.busy();
    expect(take('new', 'a')).to.not.equal(undefined);
    expect(closed).to.deep.equal(['receiving']);
  });

  it('has no place for a new connection when all others are at work, and has one again when an answer ends', () => {
    const { take, closed, reasons } = rig(2, 0);
    const [first] = ['one', 'two'].map((name) => {
      const place = take(name, 'a');
      place?.busy();
      return place;
    });
    expect(take('three', 'b')).to.equal(undefined);
    expect([closed, reasons]).to.deep.equal([[], ['connections']]);
    first?.release();
    first?.release();
    expect(take('three', 'b')).to.not.equal(undefined);
    // The second release freed nothing.
    expect(take('four', 'b')).to.not.equal(undefined);
    expect(closed).to.deep.equal(['three']);
  });

  it('counts no bound for an address that is not bounded', () => {
    const { take, closed } = rig(0, 1, false);
    for (const name of ['one', 'two', 'three']) expect(take(name, 'proxy')).to.not.equal(undefined);
    expect(closed).to.deep.equal([]);
  });

  it('does not bring back a connection that was closed while its answer was open', () => {
    const { take, closed } = rig(0, 1);
    const first = take('one', 'a', true);
    first?.busy();
    take('two', 'a');
    first?.rest();
    take('three', 'a');
    expect(closed).to.deep.equal(['one', 'two']);
  });
});
