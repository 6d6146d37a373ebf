import { expect } from 'chai';
import fc from 'fast-check';
import { FairQueue } from '../../../../core/fair-share/fair-queue.ts';
import type { Share } from '../../../../core/fair-share/share.ts';

interface Item extends Share {
  readonly number: number;
}

const shares = fc.record({
  tenant: fc.constantFrom('a', 'b', 'c', 'd'),
  key: fc.constantFrom('one', 'two', 'three'),
});

/** Adds an item of a share, removes one that waits, or takes the next one. */
const acts = fc.array(
  fc.oneof(
    { arbitrary: shares.map((share) => ({ kind: 'push' as const, share })), weight: 5 },
    { arbitrary: fc.nat(20).map((index) => ({ kind: 'leave' as const, index })), weight: 1 },
    { arbitrary: fc.constant({ kind: 'shift' as const }), weight: 3 },
  ),
  { maxLength: 80 },
);

const filled = (items: readonly Item[]): FairQueue<Item> => {
  const queue = new FairQueue<Item>();
  for (const item of items) queue.push(item, item);
  return queue;
};

function drained(queue: FairQueue<Item>): readonly Item[] {
  const taken: Item[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) taken.push(item);
  return taken;
}

const names = (items: readonly Item[]): string =>
  items.map(({ tenant, key, number }) => `${tenant}.${key}${number}`).join(' ');

describe('FairQueue', () => {
  it('gives tenants turns, then the keys of a tenant at its turns', () => {
    const all: readonly Item[] = [
      { tenant: 'a', key: 'x', number: 1 },
      { tenant: 'a', key: 'x', number: 2 },
      { tenant: 'a', key: 'x', number: 3 },
      { tenant: 'a', key: 'y', number: 1 },
      { tenant: 'b', key: 'z', number: 1 },
      { tenant: 'b', key: 'z', number: 2 },
    ];
    expect(names(drained(filled(all)))).to.equal('a.x1 b.z1 a.y1 b.z2 a.x2 a.x3');
  });

  it('lets a newcomer wait for one item of each tenant at most', () => {
    const queue = filled(Array.from({ length: 1000 }, (_, number) => ({ tenant: 'a', key: 'x', number })));
    queue.push({ tenant: 'b', key: 'z' }, { tenant: 'b', key: 'z', number: 1 });
    expect([queue.shift()?.tenant, queue.shift()?.tenant]).to.deep.equal(['a', 'b']);
  });

  it('skips tenants that may not go, and they keep their turn', () => {
    const queue = filled([
      { tenant: 'a', key: 'x', number: 1 },
      { tenant: 'b', key: 'x', number: 1 },
    ]);
    expect(queue.shift((tenant) => tenant !== 'a')?.tenant).to.equal('b');
    expect(queue.shift((tenant) => tenant !== 'a')).to.equal(undefined);
    expect([queue.size, queue.shift()?.tenant]).to.deep.equal([1, 'a']);
  });

  it('keeps the order inside a key, loses nothing, and gives each thing once', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const queue = new FairQueue<Item>();
        const inside = new Map<Item, () => void>();
        const taken: Item[] = [];
        for (const [number, act] of all.entries()) {
          if (act.kind === 'push') {
            const item = { ...act.share, number };
            inside.set(item, queue.push(act.share, item));
          } else if (act.kind === 'leave') {
            const left = [...inside][act.index];
            left?.[1]();
            left?.[1]();
            if (left !== undefined) inside.delete(left[0]);
          } else {
            const item = queue.shift();
            // Work-conserving: nothing comes out only when nothing waits.
            expect(item === undefined).to.equal(inside.size === 0);
            if (item !== undefined) {
              const older = [...inside.keys()].filter(({ tenant, key }) => tenant === item.tenant && key === item.key);
              expect(Math.min(...older.map((one) => one.number))).to.equal(item.number);
              inside.delete(item);
              taken.push(item);
            }
          }
          expect(queue.size).to.equal(inside.size);
        }
        expect(new Set([...taken, ...drained(queue)]).size).to.equal(taken.length + inside.size);
      }),
    );
  });

  it('starves nothing: between two items of a tenant every tenant that waits has one, and so have its keys', () => {
    fc.assert(
      fc.property(fc.array(shares, { maxLength: 60 }), (all) => {
        const items = all.map((share, number) => ({ ...share, number }));
        const order = drained(filled(items));
        for (const [at, { tenant, key }] of order.entries()) {
          const next = order.findIndex((one, index) => index > at && one.tenant === tenant);
          if (next < 0) continue;
          const waiting = new Set(order.slice(at + 1).map((one) => one.tenant));
          const between = order.slice(at + 1, next + 1).map((one) => one.tenant);
          expect([...waiting].toSorted()).to.deep.equal(between.toSorted());
          const ofTenant = order.slice(at + 1).filter((one) => one.tenant === tenant);
          const again = ofTenant.findIndex((one) => one.key === key);
          const keys = new Set(ofTenant.map((one) => one.key));
          if (again >= 0) expect(again + 1).to.equal(keys.size);
        }
      }),
    );
  });
});
