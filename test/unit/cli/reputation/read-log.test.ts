import { expect } from 'chai';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import type { LogFiles } from '../../../../cli/reputation/log-files.ts';
import { LogReader } from '../../../../cli/reputation/read-log.ts';
import { entryText } from '../../../../core/log-entry/entry.ts';
import { EntryTree } from '../../../../core/merkle/entry-tree.ts';
import { entryBundle } from '../../../../core/merkle/tiles.ts';
import { ioOf } from '../../../support/cli-io.ts';
import { echoLog } from '../../../support/echo-log.ts';
import { refusal } from '../../../support/refusal.ts';

const BYTES = echoLog.map((entry) => Buffer.from(entryText(entry)));
const SIZE = BYTES.length;

function rootOf(entries: readonly Uint8Array[]): Uint8Array {
  const tree = new EntryTree(sha256);
  const full = Math.floor(entries.length / 256);
  for (let index = 0; index < full; index += 1) tree.add(entries.slice(index * 256, (index + 1) * 256));
  return tree.rootWith(entries.slice(full * 256));
}

const CHECKPOINT = { size: SIZE, root: rootOf(BYTES) };

/** Files of the log; `again` answers a path that is read for a second time. */
function filesOf(again: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): LogFiles & { readonly paths: string[] } {
  const read: string[] = [];
  return {
    name: 'the log',
    paths: read,
    read: async (path) => {
      const index = Number(/entries\/(\d{3})/.exec(path)?.[1]);
      const bytes = entryBundle(BYTES.slice(index * 256, (index + 1) * 256));
      const isAgain = read.includes(path);
      read.push(path);
      return isAgain ? again(bytes) : bytes;
    },
    readKeys: async () => undefined,
    close: () => undefined,
  };
}

describe('LogReader', () => {
  it('visits the entries in their order, and has the text of each that a retraction names', async () => {
    const files = filesOf();
    const reader = new LogReader(files);
    const visited: number[] = [];
    const named: (string | undefined)[] = [];
    await reader.read(
      { checkpoint: CHECKPOINT, size: SIZE },
      (index, text) => {
        visited.push(index);
        const entry = echoLog[index];
        expect(text).to.equal(BYTES[index]?.toString());
        if (entry?.kind === 'retraction') named.push(reader.entryAt(entry.index));
      },
      ioOf({}),
    );
    expect(visited).to.deep.equal(echoLog.map((_, index) => index));
    expect(named).to.deep.equal([3, 300, 580].map((index) => BYTES[index]?.toString()));
    expect(files.paths).to.deep.equal([
      'tile/entries/000',
      'tile/entries/001',
      'tile/entries/002.p/188',
      'tile/entries/000',
      'tile/entries/001',
    ]);
  });

  it('does not believe a bundle that is another one when it is read again', async () => {
    const reader = new LogReader(filesOf((bytes) => bytes.with(10, 0)));
    const failed = await refusal(reader.read({ checkpoint: CHECKPOINT, size: SIZE }, () => undefined, ioOf({})));
    expect(failed).to.deep.include({ exit: 1, message: 'the log: the entries from 0 on changed while they were read' });
  });

  it('answers the root of the entries that count', async () => {
    for (const size of [1, 255, 256, 257, 512, SIZE]) {
      const root = await new LogReader(filesOf()).read({ checkpoint: CHECKPOINT, size }, () => undefined, ioOf({}));
      expect(root, `of ${size}`).to.deep.equal(rootOf(BYTES.slice(0, size)));
    }
  });

  it('reports its progress every 2 seconds', async () => {
    let now = 0;
    const lines: string[] = [];
    const clock = { now: () => 0, monotonic: () => (now += 1500), sleep: async () => undefined };
    const io = ioOf({ clock, err: (text) => void lines.push(text) });
    await new LogReader(filesOf()).read({ checkpoint: CHECKPOINT, size: SIZE }, () => undefined, io);
    expect(lines).to.deep.equal(['512 of 700 entries …\n']);
  });
});
