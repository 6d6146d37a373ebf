import { expect } from 'chai';
import fc from 'fast-check';
import { startCountingProxy, type CountingProxy } from '../../chaos/rig/counting-proxy.ts';
import { metadataOf, readJson } from '../../chaos/rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { planEdits, type Edit } from '../../chaos/rig/watch-editor.ts';
import { LineSplitter } from '../../chaos/rig/watch-stream.ts';
import { anObject, startFakeUpstream, type FakeUpstream } from './fake-upstream.ts';

const ORBS = '/apis/orbs.dev/v1alpha1/orbs?watch=true&resourceVersion=1';
const THREE = [
  ['ADDED', 'a', 2],
  ['MODIFIED', 'a', 3],
  ['MODIFIED', 'a', 4],
] as const;

/** Waits of the editor end when the test says so. */
class Waits {
  readonly #open: (() => void)[] = [];
  readonly sleep = (): Promise<void> => new Promise((resolve) => this.#open.push(resolve));
  over(): void {
    for (const wake of this.#open.splice(0)) wake();
  }
}

interface Caller {
  /** `TYPE name rv` of each complete line; the rest of an incomplete one. */
  readonly lines: string[];
  /** How the answer ended. */
  readonly ended: Promise<'end' | 'broken'>;
  readonly until: (count: number) => Promise<void>;
}

function reported(line: string): string {
  const event = readJson(line);
  if (event === undefined) return `cut:${line.length > 0}`;
  const meta = metadataOf(at(event, 'object'));
  const parts = [at(event, 'type'), meta['name'], meta['resourceVersion'], at(event, 'object', 'code')];
  return parts.filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}

async function openWatch(url: string): Promise<Caller> {
  const answer = await fetch(`${url}${ORBS}`);
  const lines: string[] = [];
  const read = async (): Promise<'end' | 'broken'> => {
    let rest = '';
    try {
      for await (const chunk of answer.body ?? []) {
        const parts = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts.map(reported));
      }
    } catch {
      return 'broken';
    }
    if (rest !== '') lines.push(reported(rest));
    return 'end';
  };
  const until = async (count: number): Promise<void> => {
    while (lines.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { lines, ended: read(), until };
}

describe('watch editor', () => {
  let upstream: FakeUpstream;
  let proxy: CountingProxy;
  let waits: Waits;

  beforeEach(async () => {
    upstream = await startFakeUpstream();
    proxy = await startCountingProxy({ upstream: upstream.url });
    waits = new Waits();
  });
  afterEach(async () => {
    await proxy.close();
    await upstream.close();
  });

  const watchUnder = async (edits: readonly Edit[]): Promise<Caller> => {
    proxy.editWatches(planEdits(edits, waits.sleep).editor);
    return openWatch(proxy.url);
  };
  const emit = async (events: readonly (readonly [string, string, number])[], nth = 1): Promise<void> => {
    const watch = await upstream.watch(nth);
    for (const [type, name, version] of events) watch.emit(type, anObject(name, version));
  };
  /** Until the proxy has read everything that the server sent. */
  const arrived = async (count: number): Promise<void> => {
    while (proxy.journal.events.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  };

  const second = { resource: 'orbs', at: { nth: 2 } } as const;

  it('lets everything through when there is no edit', async () => {
    const caller = await watchUnder([]);
    await emit(THREE);
    await caller.until(3);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 3', 'MODIFIED a 4']);
    expect(proxy.eventNames()).to.deep.equal(['orbs ADDED n/a #1', 'orbs MODIFIED n/a #1', 'orbs MODIFIED n/a #2']);
  });

  it('drops one event, then ends the stream and calls the history gone', async () => {
    const caller = await watchUnder([{ ...second, kind: 'drop', healMs: 1 }]);
    await emit(THREE);
    await caller.until(2);
    waits.over();
    expect(await caller.ended).to.equal('end');
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 4']);
    const resumed = await openWatch(proxy.url);
    expect(await resumed.ended).to.equal('end');
    expect(resumed.lines).to.deep.equal(['ERROR 410']);
  });

  it('delays an event and all behind it, in order', async () => {
    const caller = await watchUnder([{ ...second, kind: 'delay', ms: 1 }]);
    await emit(THREE);
    await arrived(3);
    await caller.until(1);
    expect(caller.lines).to.deep.equal(['ADDED a 2']);
    waits.over();
    await caller.until(3);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 3', 'MODIFIED a 4']);
  });

  it('merges events of one object into the last and keeps those of others', async () => {
    const caller = await watchUnder([{ resource: 'orbs', at: { nth: 1 }, kind: 'merge', of: 3, ms: 1 }]);
    await emit([
      ['ADDED', 'a', 2],
      ['ADDED', 'b', 3],
      ['MODIFIED', 'a', 4],
      ['MODIFIED', 'a', 5],
    ]);
    await caller.until(2);
    expect(caller.lines).to.deep.equal(['ADDED b 3', 'MODIFIED a 5']);
  });

  it('sends the last that is there when the events to merge do not come', async () => {
    const caller = await watchUnder([{ resource: 'orbs', at: { nth: 1 }, kind: 'merge', of: 3, ms: 1 }]);
    await emit([
      ['ADDED', 'a', 2],
      ['MODIFIED', 'a', 4],
    ]);
    await arrived(2);
    waits.over();
    await caller.until(1);
    expect(caller.lines).to.deep.equal(['MODIFIED a 4']);
  });

  it('duplicates an event', async () => {
    const caller = await watchUnder([{ ...second, kind: 'duplicate' }]);
    await emit(THREE);
    await caller.until(4);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 3', 'MODIFIED a 3', 'MODIFIED a 4']);
  });

  it('swaps an event with the next', async () => {
    const caller = await watchUnder([{ ...second, kind: 'swap', ms: 1 }]);
    await emit(THREE);
    await caller.until(3);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 4', 'MODIFIED a 3']);
  });

  it('cuts inside a line', async () => {
    const caller = await watchUnder([{ ...second, kind: 'cut' }]);
    await emit(THREE);
    expect(await caller.ended).to.equal('end');
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'cut:true']);
  });

  it('sends bookmarks of the old version only, then what was kept back', async () => {
    const caller = await watchUnder([{ ...second, kind: 'bookmarks-only', ms: 1 }]);
    await emit(THREE);
    await caller.until(3);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'BOOKMARK 2', 'BOOKMARK 2']);
    waits.over();
    await caller.until(5);
    expect(caller.lines.slice(3)).to.deep.equal(['MODIFIED a 3', 'MODIFIED a 4']);
  });

  it('ends cleanly before an event', async () => {
    const caller = await watchUnder([{ ...second, kind: 'end' }]);
    await emit(THREE);
    expect(await caller.ended).to.equal('end');
    expect(caller.lines).to.deep.equal(['ADDED a 2']);
  });

  it('ends streams at once, as often as asked', async () => {
    const edits = [{ resource: 'orbs', at: { open: true }, times: 2, kind: 'end' }] as const;
    const first = await watchUnder(edits);
    expect(await first.ended).to.equal('end');
    expect(await (await openWatch(proxy.url)).ended).to.equal('end');
    const third = await openWatch(proxy.url);
    await emit([['ADDED', 'a', 2]], 3);
    await third.until(1);
    expect(third.lines).to.deep.equal(['ADDED a 2']);
  });

  it('resets the connection', async () => {
    const caller = await watchUnder([{ ...second, kind: 'reset' }]);
    await emit(THREE);
    expect(await caller.ended).to.equal('broken');
  });

  it('edits a watch that was open before, from its next line on', async () => {
    const caller = await openWatch(proxy.url);
    await emit([['ADDED', 'a', 2]]);
    await caller.until(1);
    proxy.editWatches(planEdits([{ resource: 'orbs', at: { nth: 1 }, kind: 'duplicate' }], waits.sleep).editor);
    await emit([['MODIFIED', 'a', 3]]);
    await caller.until(3);
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'MODIFIED a 3', 'MODIFIED a 3']);
  });

  it('ends open watches when asked', async () => {
    const caller = await watchUnder([]);
    await upstream.watch(1);
    proxy.endWatches();
    expect(await caller.ended).to.equal('end');
    expect(proxy.openWatches()).to.equal(0);
  });

  it('goes half-open: sends nothing and closes nothing', async () => {
    const caller = await watchUnder([{ ...second, kind: 'half-open' }]);
    await emit(THREE);
    await caller.until(1);
    const first = await Promise.race([caller.ended, new Promise((resolve) => setTimeout(resolve, 40, 'silence'))]);
    expect(first).to.equal('silence');
    expect(caller.lines).to.deep.equal(['ADDED a 2']);
  });

  it('reports an expired history in the stream, with status 200', async () => {
    const caller = await watchUnder([{ ...second, kind: 'error', code: 410, reason: 'Expired' }]);
    await emit(THREE);
    expect(await caller.ended).to.equal('end');
    expect(caller.lines).to.deep.equal(['ADDED a 2', 'ERROR 410']);
    expect(proxy.journal.requests[0]).to.include({ verb: 'watch', status: 200 });
  });

  it('finds a named event again in another order', async () => {
    const edit = { resource: 'orbs', at: { event: 'orbs MODIFIED n/a #1' }, kind: 'duplicate' } as const;
    const caller = await watchUnder([edit]);
    await emit([
      ['ADDED', 'b', 2],
      ['ADDED', 'a', 3],
      ['MODIFIED', 'b', 4],
      ['MODIFIED', 'a', 5],
    ]);
    await caller.until(5);
    expect(caller.lines.slice(3)).to.deep.equal(['MODIFIED a 5', 'MODIFIED a 5']);
  });

  it('leaves other resources alone and says that it did not fire', async () => {
    const planned = planEdits([{ ...second, resource: 'secrets', kind: 'drop', healMs: 1 }], waits.sleep);
    proxy.editWatches(planned.editor);
    const caller = await openWatch(proxy.url);
    await emit(THREE);
    await caller.until(3);
    expect(planned.fired()).to.equal(0);
  });

  it('gives a state that a resumed watch sends again the same name', async () => {
    const first = await watchUnder([]);
    await emit([
      ['ADDED', 'a', 2],
      ['MODIFIED', 'a', 3],
    ]);
    await first.until(2);
    const resumed = await openWatch(proxy.url);
    await emit(
      [
        ['MODIFIED', 'a', 3],
        ['MODIFIED', 'a', 4],
      ],
      2,
    );
    await resumed.until(2);
    expect(proxy.eventNames()).to.deep.equal(['orbs ADDED n/a #1', 'orbs MODIFIED n/a #1', 'orbs MODIFIED n/a #2']);
  });
});

describe('line splitter', () => {
  it('gives the same lines for every way to cut the bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat()), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text.replaceAll('\n', '')}\n`).join(''));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        const splitter = new LineSplitter();
        const lines = places.flatMap((from, index) => splitter.push(bytes.subarray(from, places[index + 1])));
        expect(Buffer.concat(lines)).to.deep.equal(bytes);
        expect(lines).to.have.length(texts.length);
      }),
    );
  });
});
