import { expect } from 'chai';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { SharedCount } from '../../../../../adapters/threads/shared-count.ts';
import type { StartThread } from '../../../../../adapters/threads/start-thread.ts';
import { MapRunner, type MapRunnerOptions } from '../../../../../api-server/ingestion/mapping-thread/map-runner.ts';
import type {
  FromMappingThread,
  ToMappingThread,
} from '../../../../../api-server/ingestion/mapping-thread/serve-mapping.ts';
import { MappingEnded, type SourcedDelivery } from '../../../../../api-server/ingestion/worker/delivery-mapper.ts';
import type { MappedBatch } from '../../../../../api-server/ingestion/worker/map-desk.ts';
import { aSignalSource } from '../../../../support/a-signal-source.ts';
import { createFakeClock, type FakeClock } from '../../../../support/fake-clock.ts';
import { refusal } from '../../../../support/refusal.ts';
import { lastAnswer } from '../../../../support/wait-for.ts';

const NOW = 1_795_168_800_000;
const SECRET = 'a secret that stays where it is';

/** A thread that answers as the test says. */
interface FakeThread {
  readonly events: Parameters<StartThread<ToMappingThread, FromMappingThread>>[0];
  readonly posted: ToMappingThread[];
  isTerminated: boolean;
}

const SOURCE = {
  ...aSignalSource('acme/am', { type: 'alertmanager' }),
  secrets: { kind: 'readable', values: [Buffer.from(SECRET)] },
} as const;

function aDelivery(seq: number, source: SourcedDelivery['source'] = SOURCE): SourcedDelivery {
  const names = { deliveryId: `dlv_${seq}`, tenant: 'acme', source: 'acme/am', deliveryKey: `id:${seq}` };
  const raw = Buffer.from(`{"number":${seq}}`);
  return { delivery: { ...names, seq, receivedAt: NOW, attempts: 0, headers: '{}', raw }, source, raw };
}

const batch = (known: number): MappedBatch => ({ effects: [], fault: undefined, known });

/** Whether a delivery is to blame. */
const blames = async (mapped: Promise<MappedBatch>): Promise<boolean> => {
  const error = await refusal(mapped);
  if (!(error instanceof MappingEnded)) throw error;
  return error.isOfWork;
};

describe('MapRunner', () => {
  let threads: FakeThread[];
  let clock: FakeClock;
  let logged: unknown[];
  let runner: MapRunner;

  function create(change: Partial<MapRunnerOptions> = {}): MapRunner {
    runner = new MapRunner({
      file: '/ledger',
      platformNamespace: 'orb-system',
      orbs: {
        isKnown: (namespace, id) => `${namespace} ${id}` === 'acme acme.mailer@1.2.0',
        running: (_namespace, name) => [`${name}@1.2.0`],
        hostOf: () => 'api.sendgrid.com',
        monitorOf: () => 'consumer',
      },
      clock,
      logger: { error: (_message, fields) => void logged.push(fields) },
      start: (events) => {
        const thread: FakeThread = { events, posted: [], isTerminated: false };
        threads.push(thread);
        const terminate = async (): Promise<void> => void (thread.isTerminated = true);
        return { post: (message) => void thread.posted.push(message), ended: Promise.resolve(), terminate };
      },
      ...change,
    });
    return runner;
  }
  beforeEach(() => {
    threads = [];
    logged = [];
    clock = createFakeClock(NOW);
  });
  afterEach(() => runner.close());

  const say = (index: number, ...messages: readonly FromMappingThread[]): void => {
    for (const message of messages) threads[index]?.events.onMessage(message);
  };
  const map = (...deliveries: readonly SourcedDelivery[]): Promise<MappedBatch> =>
    runner.map({ isFresh: true, now: NOW, deliveries });
  const works = (index: number) =>
    (threads[index]?.posted ?? []).flatMap((message) => (message[0] === 'map' ? [message[1]] : []));

  it('starts a thread with the first batch, and answers in their order', async () => {
    const runs = new SharedCount();
    create({ runs });
    expect(threads).to.have.length(0);
    const found = [map(aDelivery(1)), map(aDelivery(2))];
    expect(threads[0]?.posted[0]).to.deep.equal(['open', '/ledger', 'orb-system', runs.memory]);
    expect(works(0).map(({ deliveries }) => deliveries.length)).to.deep.equal([1, 1]);
    say(0, ['ready'], ['mapped', batch(1)], ['mapped', batch(2)]);
    expect((await Promise.all(found)).map(({ known }) => known)).to.deep.equal([1, 2]);
    expect(threads).to.have.length(1);
  });

  it('sends a source once, and again when it changed', async () => {
    create();
    const changed = { ...SOURCE, limits: { ...SOURCE.limits, itemsPerPayload: 7 } };
    const found = [map(aDelivery(1)), map(aDelivery(2)), map(aDelivery(3, changed))];
    const sent = works(0).map(({ sources }) => sources.map(({ limits }) => limits.itemsPerPayload));
    expect(sent).to.deep.equal([[500], [], [7]]);
    say(0, ['ready'], ['mapped', batch(1)], ['mapped', batch(1)], ['mapped', batch(1)]);
    await Promise.all(found);
  });

  it('sends no secret, no scheme, and no memory beside the body', async () => {
    create();
    const found = map(aDelivery(1));
    const texts: string[] = [];
    const keep = (value: unknown): void => {
      if (value instanceof Uint8Array) texts.push(Buffer.from(value.buffer).toString('latin1'));
      else if (typeof value === 'object' && value !== null)
        for (const [name, member] of Object.entries(value)) {
          texts.push(name);
          keep(member);
        }
      else texts.push(String(value));
    };
    for (const message of threads[0]?.posted ?? []) keep(message);
    expect(texts).to.include('{"number":1}');
    for (const word of [SECRET, 'secrets', 'scheme', 'sourceId'])
      expect(texts.filter((text) => text.includes(word))).to.deep.equal([]);
    say(0, ['ready'], ['mapped', batch(1)]);
    await found;
  });

  it('hands over a body that has its own memory, in place of a copy', async () => {
    create();
    const raw = Buffer.from(new ArrayBuffer(100));
    const found = map({ ...aDelivery(1), raw });
    expect(works(0)[0]?.deliveries[0]?.raw.buffer).to.equal(raw.buffer);
    say(0, ['ready'], ['mapped', batch(1)]);
    await found;
  });

  it('answers what the thread asks about Orbs', async () => {
    create();
    const found = map(aDelivery(1));
    const ids = ['acme.mailer@1.2.0', 'acme.other@1.0.0'];
    say(0, ['ready'], ['ask', { namespace: 'acme', ids, names: ['acme.mailer'] }]);
    expect(threads[0]?.posted.at(-1)).to.deep.equal([
      'orbs',
      {
        orbs: [true, false].map((isKnown) => ({ isKnown, host: 'api.sendgrid.com', monitor: 'consumer' })),
        running: [['acme.mailer@1.2.0']],
      },
    ]);
    say(0, ['mapped', batch(1)]);
    await found;
  });

  const ends: readonly (readonly [why: string, cause: unknown, text: string])[] = [
    [
      'needs too much memory',
      Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
      'mapping needs more than 192 MiB of memory',
    ],
    ['crashes', new Error('crash'), 'the thread that maps it ended'],
    ['ends', undefined, 'the thread that maps it ended'],
  ];
  for (const [why, cause, text] of ends)
    it(`rejects what is under way when the thread ${why}, and starts another one for the next batch`, async () => {
      create();
      const found = [map(aDelivery(1)), map(aDelivery(2))];
      say(0, ['ready']);
      threads[0]?.events.onEnd(cause);
      for (const one of found) expect(await refusal(one)).to.include({ message: text, isOfWork: true });
      expect(logged).to.have.length(1);
      const next = map(aDelivery(3));
      expect(works(1)[0]?.sources).to.have.length(1);
      say(1, ['ready'], ['mapped', batch(3)]);
      expect((await next).known).to.equal(3);
    });

  it('ends a thread that takes too long, and leaves out what it still says', async () => {
    create({ workMs: 5 });
    const late = map(aDelivery(1));
    say(0, ['ready']);
    expect(await blames(late)).to.equal(true);
    expect(threads[0]?.isTerminated).to.equal(true);
    const next = map(aDelivery(2));
    say(0, ['mapped', batch(1)]);
    say(1, ['ready'], ['mapped', batch(2)]);
    expect((await next).known).to.equal(2);
  });

  it('waits longer each time when threads end in a row, and not at all after an answer', async () => {
    create();
    const end = async (): Promise<boolean> => {
      const found = map(aDelivery(1));
      say(threads.length - 1, ['ready']);
      threads.at(-1)?.events.onEnd(new Error('crash'));
      return blames(found);
    };
    const started: number[] = [];
    for (const ms of [0, 0, 50, 50, 100, 100]) {
      await clock.advance(ms);
      await end().catch(() => undefined);
      started.push(threads.length);
    }
    expect(started, 'the second pause is 100 ms, the third 200 ms').to.deep.equal([1, 2, 2, 3, 3, 4]);
    expect(await blames(map(aDelivery(1))), 'a thread that is not started is no fault of a delivery').to.equal(false);
    await clock.advance(60_000);
    const found = map(aDelivery(1));
    say(4, ['ready'], ['mapped', batch(1)]);
    await found;
    expect([await end(), await end(), threads.length]).to.deep.equal([true, true, 6]);
  });

  it('blames no delivery when the thread does not start', async () => {
    create();
    const found = map(aDelivery(1));
    threads[0]?.events.onEnd(new Error('no such file'));
    expect(await blames(found)).to.equal(false);
  });

  it('says that the ledger could not be opened, and starts anew', async () => {
    create();
    const found = [map(aDelivery(1)), map(aDelivery(2))];
    say(0, ['failed', 'ledger-unavailable', 'no file']);
    for (const one of found) expect(await refusal(one)).to.be.instanceOf(LedgerError);
    const next = map(aDelivery(3));
    say(1, ['ready'], ['mapped', batch(3)]);
    expect((await next).known).to.equal(3);
  });

  it('passes on that the ledger could not be read, and a bug with its stack', async () => {
    create();
    const found = [map(aDelivery(1)), map(aDelivery(2)), map(aDelivery(3))];
    say(0, ['ready'], ['failed', 'ledger-unavailable', 'away'], ['broken', 'a bug', 'a bug at a place']);
    expect(await refusal(found[0] ?? Promise.resolve())).to.include({ code: 'ledger-unavailable', message: 'away' });
    expect(await refusal(found[1] ?? Promise.resolve())).to.include({ stack: 'a bug at a place' });
    say(0, ['mapped', batch(3)]);
    expect((await found[2])?.known).to.equal(3);
  });

  it('ends an idle thread', async () => {
    create({ idleMs: 5 });
    const found = map(aDelivery(1));
    say(0, ['ready'], ['mapped', batch(1)]);
    await found;
    expect(
      await lastAnswer(
        () => threads[0]?.isTerminated,
        (isEnded) => isEnded === true,
        2000,
        5,
      ),
    ).to.equal(true);
    expect(logged).to.deep.equal([]);
  });

  it('rejects what is under way when it is closed, and everything after it', async () => {
    create();
    const found = map(aDelivery(1));
    say(0, ['ready']);
    await runner.close();
    expect([await blames(found), await blames(map(aDelivery(2)))]).to.deep.equal([false, false]);
    expect(threads.map(({ isTerminated }) => isTerminated)).to.deep.equal([true]);
    expect(logged).to.deep.equal([]);
  });
});
