import { expect } from 'chai';
import { sha256 } from '../../../../../adapters/keys/primitives.ts';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { leafHash } from '../../../../../core/merkle/hash.ts';
import { openEntryBundle } from '../../../../../core/merkle/tiles.ts';
import { verifyConsistency, verifyInclusion } from '../../../../../core/merkle/verify-proof.ts';
import { aFinish, aStart } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract, LedgerFixture } from '../contract.ts';

const someEntries = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `{"kind":"algorithm","n":${number},"v":1}`);

/** Appends and lets a checkpoint over all of it be signed. */
async function appendSigned(
  { ledger, clock }: Pick<LedgerFixture, 'ledger' | 'clock'>,
  entries: readonly string[],
): Promise<void> {
  await ledger.appendEntries(entries);
  await settledCheckpoint({ ledger, clock });
}

async function settledCheckpoint({ ledger, clock }: Pick<LedgerFixture, 'ledger' | 'clock'>): Promise<void> {
  await clock.advance(1000);
  await ledger.putState('test', 'after-the-checkpoint', '1'); // commits after whatever was queued before it
}

async function signedRoot(ledger: Ledger, size: number): Promise<Uint8Array> {
  const { note = '' } = (await ledger.checkpointCovering(size - 1)) ?? {};
  expect(note.split('\n')[1]).to.equal(String(size));
  return Buffer.from(note.split('\n')[2] ?? '', 'base64');
}

export function logContract({ it }: Contract): void {
  describe('log', () => {
    it('appends entries in their order and answers the index of the first', async ({ ledger }) => {
      expect(await ledger.appendEntries(['{"a":1}', '{"ž":"🐎"}'])).to.equal(0);
      expect(await ledger.appendEntries(['{"a":3}'])).to.equal(2);
      expect(await ledger.entries(0, 3)).to.deep.equal(['{"a":1}', '{"ž":"🐎"}', '{"a":3}']);
    });

    it('keeps the entries of one call together when many append and finish at once', async ({ ledger }) => {
      const runs = Array.from({ length: 30 }, (_, number) => ledger.recordRun(aStart(number), aFinish(number)));
      const calls = Array.from({ length: 10 }, (_, call) =>
        ledger.appendEntries([`{"call":${call}}`, `{"next":${call}}`]),
      );
      const indexes = await Promise.all(calls);
      await Promise.all(runs);
      for (const [call, index] of indexes.entries()) {
        expect(await ledger.entries(index, index + 2)).to.deep.equal([`{"call":${call}}`, `{"next":${call}}`]);
      }
      expect(await ledger.logSize()).to.equal(50);
    });

    it('answers the root of every size that the log had, and of no other', async ({ ledger, clock }) => {
      const signed: Uint8Array[] = [];
      for (const entry of someEntries(9)) {
        await appendSigned({ ledger, clock }, [entry]);
        signed.push(await signedRoot(ledger, signed.length + 1));
      }
      const roots = await Promise.all(signed.map((_, index) => ledger.rootAt(index + 1)));
      expect(roots.map((root) => Buffer.from(root))).to.deep.equal(signed);
      expect(Buffer.from(await ledger.rootAt(0))).to.deep.equal(sha256(new Uint8Array()));
      for (const size of [10, -1, 0.5]) expect(await refusal(ledger.rootAt(size))).to.be.instanceOf(RangeError);
    });

    it('takes an entry of 65535 bytes, and none of a call with a longer one', async ({ ledger }) => {
      const longest = `"${'x'.repeat(65_533)}"`;
      expect(await refusal(ledger.appendEntries(['{}', `${longest} `]))).to.be.instanceOf(TypeError);
      expect(await ledger.logSize()).to.equal(0);
      await ledger.appendEntries([`{"v":1,"filled":"${'é'.repeat(32_758)}"}`]);
      expect((await ledger.entries(0, 1))[0]?.length).to.equal(32_777);
    });

    it('answers at most 1000 entries, and none beyond the end', async ({ ledger }) => {
      const entries = someEntries(1100);
      await ledger.appendEntries(entries);
      expect(await ledger.entries(50, 1100)).to.deep.equal(entries.slice(50, 1050));
      expect(await ledger.entries(1099, 2000)).to.deep.equal(entries.slice(1099));
      expect(await ledger.entries(1100, 1200)).to.deep.equal([]);
      expect(await refusal(ledger.entries(-1, 5))).to.be.instanceOf(RangeError);
    });

    it('signs a checkpoint within a second of growth, and none without growth', async (fixture) => {
      const { ledger, clock } = fixture;
      await clock.advance(5000);
      expect(await ledger.checkpoint()).to.equal(undefined);
      await appendSigned(fixture, someEntries(3));
      expect((await ledger.checkpoint())?.size).to.equal(3);
      await clock.advance(60_000);
      expect((await ledger.checkpointCovering(2))?.size).to.equal(3);
      expect(await ledger.checkpointCovering(3)).to.equal(undefined);
    });

    it('signs at most four checkpoints a second, however it grows', async ({ ledger, clock }) => {
      for (let ms = 0; ms < 1000; ms += 50) {
        await ledger.appendEntries([`{"at":${ms}}`]);
        await clock.advance(50);
      }
      await ledger.putState('test', 'after-the-checkpoint', '1');
      const covering = await Promise.all(Array.from({ length: 20 }, (_, index) => ledger.checkpointCovering(index)));
      const sizes = new Set(covering.flatMap((checkpoint) => checkpoint?.size ?? []));
      expect(sizes.size).to.be.within(1, 4);
    });

    it('covers an entry by the first checkpoint after it', async (fixture) => {
      for (const size of [2, 3, 5]) await appendSigned(fixture, someEntries(size));
      const covering = [0, 1, 2, 4, 5, 9].map((index) => fixture.ledger.checkpointCovering(index));
      const sizes = (await Promise.all(covering)).map((checkpoint) => checkpoint?.size);
      expect(sizes).to.deep.equal([2, 2, 5, 5, 10, 10]);
      expect((await fixture.ledger.checkpoint())?.size).to.equal(10);
    });

    // 256 hashes are one tile, 65536 leaves one of the next level: sizes beside the edges of subtrees.
    it('proves inclusion of entries in trees of many sizes', async (fixture) => {
      const { ledger } = fixture;
      const entries = someEntries(601);
      let from = 0;
      for (const size of [1, 2, 3, 255, 256, 257, 511, 512, 513, 601]) {
        await appendSigned(fixture, entries.slice(from, size));
        from = size;
        const root = await signedRoot(ledger, size);
        for (const index of new Set([0, Math.floor(size / 2), Math.max(0, size - 2), size - 1])) {
          const proof = await ledger.inclusionProof(index, size);
          const leaf = leafHash(Buffer.from(entries[index] ?? ''), sha256);
          const good = await verifyInclusion({ index, size, leaf, proof, root }, { sha256 });
          expect(good, `entry ${index} of ${size}`).to.equal(true);
        }
      }
    });

    it('answers tiles of hashes and bundles of entries, full and partial, and nothing that it does not have', async ({
      ledger,
    }) => {
      const entries = someEntries(600);
      await ledger.appendEntries(entries);
      const leaves = entries.map((entry) => leafHash(Buffer.from(entry), sha256));
      const hashes = async (level: number, index: number, width: number): Promise<string> =>
        Buffer.from(await ledger.tile({ level, index, width })).toString('hex');
      expect(await hashes(0, 1, 256)).to.equal(Buffer.concat(leaves.slice(256, 512)).toString('hex'));
      expect(await hashes(0, 2, 88)).to.equal(Buffer.concat(leaves.slice(512)).toString('hex'));
      expect(await hashes(0, 1, 3)).to.equal(Buffer.concat(leaves.slice(256, 259)).toString('hex'));
      expect(await hashes(1, 0, 1)).to.equal(Buffer.from(await ledger.rootAt(256)).toString('hex'));
      const bundle = await ledger.tile({ level: 'entries', index: 2, width: 88 });
      expect(openEntryBundle(bundle)?.map((entry) => Buffer.from(entry).toString())).to.deep.equal(entries.slice(512));
      for (const place of [
        { level: 0, index: 2, width: 89 },
        { level: 1, index: 0, width: 3 },
        { level: 2, index: 0, width: 1 },
        { level: 'entries' as const, index: 2, width: 256 },
      ]) {
        expect(await refusal(ledger.tile(place))).to.be.instanceOf(RangeError);
      }
    });

    it('proves consistency between every two checkpoints', async (fixture) => {
      const { ledger } = fixture;
      const sizes = [1, 2, 255, 256, 258, 600];
      for (const [position, size] of sizes.entries()) {
        await appendSigned(fixture, someEntries(size - (sizes[position - 1] ?? 0)));
      }
      for (const second of sizes) {
        for (const first of sizes.filter((size) => size <= second)) {
          const proof = await ledger.consistencyProof(first, second);
          const roots = { root1: await signedRoot(ledger, first), root2: await signedRoot(ledger, second) };
          const good = await verifyConsistency({ first, second, proof, ...roots }, { sha256 });
          expect(good, `${first} to ${second}`).to.equal(true);
        }
      }
    });

    it('refuses proofs of what is not in the log', async ({ ledger }) => {
      await ledger.appendEntries(someEntries(5));
      const asked = [
        ledger.inclusionProof(5, 5),
        ledger.inclusionProof(0, 6),
        ledger.inclusionProof(-1, 5),
        ledger.inclusionProof(0, 0),
        ledger.consistencyProof(0, 5),
        ledger.consistencyProof(4, 3),
        ledger.consistencyProof(5, 6),
        ledger.consistencyProof(1.5, 5),
      ];
      for (const refused of await Promise.all(asked.map(refusal))) expect(refused).to.be.instanceOf(RangeError);
    });
  });
}
