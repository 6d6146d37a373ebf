import { expect } from 'chai';
import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createObjectPins } from '../../../../api-server/providers/object-pins.ts';
import type { NewPin } from '../../../../api-server/providers/port.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { specOf } from '../../../../core/reconcile/read-object.ts';
import { FILE_PINS } from '../../../../standalone/files/file-writer.ts';
import {
  aFolderFeed,
  manifestFile,
  nameOf,
  orbFile,
  orbNames,
  type AFolderFeed,
} from '../../../support/a-folder-feed.ts';
import { ledgerAway } from '../../../support/object-rows.ts';

const EXPIRES = '2026-06-01T00:00:00Z';
const parsed = parseOrbId('acme.a@1.0.0');
if (!parsed.ok) throw new TypeError('no id');
const place = { namespace: 'default', name: 'a', orbId: parsed.value };
const apiPin = (provider: string, number: number): NewPin => ({
  provider,
  mode: 'once',
  expires_at: EXPIRES,
  id: `swp_00000000-0000-0000-0000-${String(number).padStart(12, '0')}`,
  actor: 'key:key_1',
  reason: 'a test',
});

const pinsOf = ({ store: { client, clock } }: AFolderFeed): ReturnType<typeof createObjectPins> =>
  createObjectPins({ client, clock, writesOnce: FILE_PINS });

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

describe('what the writer of files leaves', () => {
  let feed: AFolderFeed;
  beforeEach(async () => {
    feed = await aFolderFeed();
  });
  afterEach(() => feed.dispose());

  const pin = async (): Promise<unknown> => {
    const orb = await feed.get(KINDS.orb, 'a');
    return orb === undefined ? 'no Orb' : specOf(orb)['pin'];
  };
  const scan = async (given?: object, members: object = {}): Promise<void> => {
    feed.write('a.json', orbFile('a', given, members));
    await feed.scan();
  };
  const failAt = (wanted: number): void => {
    let count = 0;
    feed.store.rows.before = () => {
      count += 1;
      if (count === wanted) throw ledgerAway();
    };
  };
  const heal = (): void => {
    feed.store.rows.before = () => undefined;
  };

  describe('when the ledger refuses a row', () => {
    it('changes nothing of that object, and does the rest at the next scan', async () => {
      feed.store.rows.before = (write) => {
        if (write.includes(nameOf('b'))) throw ledgerAway();
      };
      for (const name of ['a', 'b', 'c']) feed.write(`${name}.json`, manifestFile(name));
      await feed.scan();
      expect(await orbNames(feed)).not.to.include(nameOf('b'));
      expect(feed.said('the resources could not be read')).to.have.length(1);
      heal();
      await feed.scan();
      expect(await orbNames(feed)).to.deep.equal(['a', 'b', 'c'].map(nameOf));
    });

    it('removes nothing before every write is made', async () => {
      await scan();
      feed.remove('a.json');
      feed.write('b.json', manifestFile('b'));
      failAt(1);
      await feed.scan();
      expect(await orbNames(feed)).to.deep.equal(['a']);
      heal();
      await feed.scan();
      expect(await orbNames(feed)).to.deep.equal([nameOf('b')]);
    });

    it('has ended all of its work when the scan is over: nothing of it comes after the next one', async () => {
      const names = Array.from({ length: 200 }, (_, index) => `orb-${index}`);
      for (const name of names) feed.write(`${name}.json`, manifestFile(name));
      let under = 0;
      feed.store.rows.before = async (write) => {
        under += 1;
        if (write.includes(nameOf('orb-0'))) {
          under -= 1;
          throw ledgerAway();
        }
        await turns(3);
        under -= 1;
      };
      await feed.scan();
      const { length } = feed.store.rows.writes;
      expect(under).to.equal(0);
      await turns(20);
      expect(feed.store.rows.writes.length).to.equal(length);
    });

    for (const at of [1, 2])
      it(`sets the pin of the file at the next scan, or start, when row ${at} of an edit was refused`, async () => {
        await scan();
        failAt(at);
        await scan({ provider: 'main', expires_at: EXPIRES }, { description: 'another' });
        expect(await pin()).to.equal(undefined);
        heal();
        feed = await feed.restart();
        await feed.scan();
        expect(await pin()).to.deep.equal({ provider: 'main', expires_at: EXPIRES });
      });

    it('drops the pin of the file at the next start when that was refused', async () => {
      await scan({ provider: 'main', expires_at: EXPIRES });
      failAt(2);
      await scan();
      heal();
      feed = await feed.restart();
      await feed.scan();
      expect(await pin()).to.equal(undefined);
    });
  });

  it('is a pin of the file whole, with nothing of the one that it replaces', async () => {
    await scan();
    await pinsOf(feed).set(place, apiPin('main', 1));
    await scan({ provider: 'main', mode: 'hard', expires_at: EXPIRES });
    expect(await pin()).to.deep.equal({ provider: 'main', mode: 'hard', expires_at: EXPIRES });
  });

  it('is of two pins the newer word, whatever happens between: edits, removals, other edits, restarts', async () => {
    const filePins = [
      undefined,
      { provider: 'main', expires_at: EXPIRES },
      { provider: 'main', mode: 'hard', expires_at: EXPIRES },
    ];
    const act = fc.oneof(
      fc.record({ by: fc.constant('file' as const), pin: fc.nat(2) }),
      fc.record({
        by: fc.constantFrom('api' as const, 'removal' as const, 'edit' as const, 'start' as const),
        pin: fc.constant(0),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
        feed.dispose();
        feed = await aFolderFeed();
        await scan();
        let [wanted, ofFile, count]: [object | undefined, object | undefined, number] = [undefined, undefined, 0];
        for (const one of acts) {
          count += 1;
          if (one.by === 'api') {
            wanted = apiPin('main', count);
            await pinsOf(feed).set(place, apiPin('main', count));
          } else if (one.by === 'removal') {
            wanted = undefined;
            await pinsOf(feed).remove(place);
          } else if (one.by === 'start') {
            feed = await feed.restart();
            await feed.scan();
          } else if (one.by === 'edit') {
            await scan(ofFile, { description: `edit ${count}` });
          } else {
            const next = filePins[one.pin];
            // A pin that goes from the file takes only itself along.
            if (next !== ofFile && (next !== undefined || wanted === ofFile)) wanted = next;
            ofFile = next;
            await scan(ofFile);
          }
          expect(await pin()).to.deep.equal(wanted);
        }
      }),
      { numRuns: 60 },
    );
  }).timeout(20_000);
});
