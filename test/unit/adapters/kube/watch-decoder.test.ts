import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { decodeWatch, MalformedWatch, type WatchEvent } from '../../../../adapters/kube/watch-decoder.ts';
import { anObject, bookmarkLine, errorLine, watchLine } from '../../../support/kube/kube-objects.ts';

const still = { kind: KINDS.orb, monotonic: (): number => 0 };
const encoder = new TextEncoder();

async function* stream(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
  }
}

async function decoded(...chunks: readonly (string | Uint8Array)[]): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of decodeWatch(stream(chunks), still)) events.push(event);
  return events;
}

async function broken(...chunks: readonly (string | Uint8Array)[]): Promise<unknown> {
  try {
    return await decoded(...chunks);
  } catch (error) {
    return error;
  }
}

const named = (events: readonly WatchEvent[]): readonly string[] =>
  events.map((event) => ('object' in event ? `${event.kind} ${event.object.metadata.name}` : event.kind));

describe('decodeWatch', () => {
  it('reads what was added, modified and deleted, in order', async () => {
    const [a, b] = [anObject('a', 5), anObject('b', 6)];
    const events = await decoded(watchLine('ADDED', a), watchLine('MODIFIED', b), watchLine('DELETED', a));
    expect(named(events)).to.deep.equal(['changed a', 'changed b', 'deleted a']);
  });

  it('reads a bookmark, whose object has no name', async () => {
    expect(await decoded(bookmarkLine(42))).to.deep.equal([{ kind: 'bookmark', resourceVersion: '42' }]);
  });

  it('reads the code, causes and delay of an ERROR', async () => {
    const line = errorLine(429, { retryAfterSeconds: 3, causes: [{ reason: 'Busy' }] });
    const [event] = await decoded(line);
    const error = event?.kind === 'error' ? event.error : undefined;
    expect([error?.status, error?.retryAfterMs, error?.causes]).to.deep.equal([429, 3000, ['Busy']]);
  });

  it('reads the same events however the bytes are cut into chunks', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const cut = fc.array(fc.nat(400), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 6 }), cut, async (texts, cuts) => {
        const objects = texts.map((spec, index) => anObject(`o${index}`, index + 1, { spec }));
        const bytes = encoder.encode(objects.map((object) => watchLine('ADDED', object)).join(''));
        const places = [...new Set([0, ...cuts.map((at) => at % (bytes.length + 1)), bytes.length])].toSorted(
          (one, other) => one - other,
        );
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const events = await decoded(...chunks);
        expect(events.map((event) => ('object' in event ? event.object : null))).to.deep.equal(objects);
      }),
    );
  });

  it('drops a last line that was cut', async () => {
    const line = watchLine('ADDED', anObject('b', 6));
    expect(named(await decoded(watchLine('ADDED', anObject('a', 5)), line.slice(0, -5)))).to.deep.equal(['changed a']);
  });

  it('reads a line of 7 MiB', async () => {
    const spec = 'x'.repeat(7 * 1024 * 1024);
    const bytes = encoder.encode(watchLine('ADDED', anObject('big', 5, { spec })));
    const chunks = Array.from({ length: 112 }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536));
    chunks.push(bytes.subarray(112 * 65_536));
    const [event] = await decoded(...chunks);
    expect(event?.kind === 'changed' && event.object.spec === spec).to.equal(true);
  });

  it('gives up on a line of more than 8 MiB before its end has come', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x61);
    expect(await broken(...Array.from({ length: 9 }, () => chunk))).to.be.instanceOf(MalformedWatch);
  });

  const malformed: readonly (readonly [why: string, line: string | Uint8Array])[] = [
    ['no JSON', '{"type":"ADDED"\n'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22, 0x0a])],
    ['no object', '[]\n'],
    ['no event', '{"a":1}\n'],
    ['an unknown type', `${JSON.stringify({ type: 'MOVED', object: anObject('a', 1) })}\n`],
    ['an object without name', '{"type":"ADDED","object":{"metadata":{}}}\n'],
    ['a bookmark without version', '{"type":"BOOKMARK","object":{"metadata":{}}}\n'],
    ['a name that is no text', '{"type":"ADDED","object":{"metadata":{"name":7}}}\n'],
  ];
  for (const [why, line] of malformed) {
    it(`takes a line with ${why} for a broken stream`, async () => {
      expect(await broken(line)).to.be.instanceOf(MalformedWatch);
    });
  }

  it('marks the integers that reading has rounded', async () => {
    const line = '{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"x":9007199254740993,"y/z":[1,-1e17]}}}\n';
    const [event] = await decoded(line);
    expect(event?.kind === 'changed' ? event.object.unsafeIntegers : undefined).to.deep.equal([
      '/spec/x',
      '/spec/y~1z/1',
    ]);
  });

  it('marks nothing in an object whose integers are exact', async () => {
    const line =
      '{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"x":9007199254740991,"y":"9007199254740993"}}}\n';
    const [event] = await decoded(line);
    expect(event?.kind === 'changed' && 'unsafeIntegers' in event.object).to.equal(false);
  });

  it('lets the event loop turn when events go on for 10 ms', async () => {
    let now = 0;
    const lines = Array.from({ length: 30 }, (_, index) => watchLine('ADDED', anObject(`o${index}`, index + 1)));
    const order: string[] = [];
    const timer = turn().then(() => order.push('turn'));
    for await (const event of decodeWatch(stream([lines.join('')]), { kind: KINDS.orb, monotonic: () => (now += 1) }))
      order.push(event.kind);
    await timer;
    const before = order.indexOf('turn');
    expect(before).to.be.within(1, 15);
  });
});
