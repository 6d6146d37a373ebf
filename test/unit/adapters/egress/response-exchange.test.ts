import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ResponseExchange } from '../../../../adapters/egress/exchange.ts';
import type { ResponseMemory } from '../../../../adapters/egress/port.ts';
import { ReadPace } from '../../../../adapters/egress/read-pace.ts';
import { enoughMemory, someLimits } from '../../../support/egress.ts';
import { timers } from '../../../support/timers.ts';

const anExchange = (
  signal = new AbortController().signal,
  memory?: ResponseMemory,
): { exchange: ResponseExchange; ended: string[] } => {
  const ended: string[] = [];
  const exchange = new ResponseExchange({
    method: 'GET',
    limits: someLimits({ connectTimeoutMs: 300, ...(memory === undefined ? {} : { memory }) }),
    signal,
    reading: { http10: false },
    pace: new ReadPace(),
    settle: (outcome) => void ended.push(outcome.kind === 'failed' ? outcome.failure.code : 'answered'),
    release: () => undefined,
  });
  return { exchange, ended };
};
const controller = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

describe('ResponseExchange', () => {
  it('makes no timer for a request that is on its way when its dispatch returns', () => {
    const before = timers();
    const { exchange } = anExchange();
    exchange.onRequestStart(controller);
    exchange.limitConnecting();
    expect(timers()).to.equal(before);
  });

  it('limits the time until a connection is there, and no longer', () => {
    const before = timers();
    const { exchange } = anExchange();
    exchange.limitConnecting();
    expect(timers()).to.equal(before + 1);
    exchange.onRequestStart(controller);
    expect(timers()).to.equal(before);
  });

  it('reads 64 KiB at once, and of more what a turn of the event loop has time for', async () => {
    const { exchange } = anExchange();
    const resumed = Promise.withResolvers<void>();
    let pauses = 0;
    const counted = { ...controller, pause: () => void (pauses += 1), resume: () => resumed.resolve() };
    exchange.onRequestStart(counted);
    exchange.onResponseStart(counted, 200);
    const paused = Array.from({ length: 6 }, () => {
      exchange.onResponseData(counted, Buffer.alloc(65_536));
      return pauses;
    });
    expect(paused).to.deep.equal([0, 0, 0, 0, 0, 1]);
    await resumed.promise;
    exchange.onResponseError(counted, new Error('the end'));
  });

  const LENGTH = 300_000;
  const FREE = 65_536;
  const announced = { ...controller, rawHeaders: ['content-length', String(LENGTH)] };

  it('asks once for the memory of an answer that announces its length', () => {
    const asked: number[] = [];
    const memory = { ...enoughMemory, hold: (bytes: number): boolean => asked.push(bytes) > 0 };
    const { exchange, ended } = anExchange(undefined, memory);
    exchange.onRequestStart(announced);
    exchange.onResponseStart(announced, 200);
    expect(asked).to.deep.equal([LENGTH - FREE]);
    for (let left = LENGTH; left > 0; left -= FREE)
      exchange.onResponseData(announced, Buffer.alloc(Math.min(left, FREE)));
    exchange.onResponseEnd();
    expect([asked, ended]).to.deep.equal([[LENGTH - FREE], ['answered']]);
  });

  describe('of an announced answer for which there is no memory', () => {
    let acts: string[];
    let grant: () => void;
    const noMemory: ResponseMemory = {
      ...enoughMemory,
      hold: () => false,
      wait: (bytes, granted) => {
        acts.push(`wait ${bytes}`);
        grant = granted;
        return () => void acts.push('left');
      },
    };
    const seen = {
      ...announced,
      pause: () => void acts.push('pause'),
      resume: () => void acts.push('resume'),
      abort: () => void acts.push('abort'),
    };
    const waiting = (signal?: AbortSignal): ReturnType<typeof anExchange> => {
      acts = [];
      const made = anExchange(signal, noMemory);
      made.exchange.onRequestStart(seen);
      made.exchange.onResponseStart(seen, 200);
      expect([acts, made.ended]).to.deep.equal([['pause', `wait ${LENGTH - FREE}`], []]);
      acts.length = 0;
      return made;
    };

    it('reads nothing until there is, and its provider is not late meanwhile', async () => {
      await nextTurn(); // the test's own timer is made now
      const before = timers();
      const { exchange, ended } = waiting();
      expect(timers()).to.equal(before);
      grant();
      expect(timers()).to.equal(before + 1);
      expect(acts).to.deep.equal([]);
      await nextTurn();
      expect(acts).to.deep.equal(['resume']);
      for (let left = LENGTH; left > 0; left -= FREE) exchange.onResponseData(seen, Buffer.alloc(Math.min(left, FREE)));
      exchange.onResponseEnd();
      expect([ended, timers()]).to.deep.equal([['answered'], before]);
      expect(acts).not.to.include('left');
    });

    const endings: readonly (readonly [when: string, reason: unknown, code: string])[] = [
      ['the time is over', new DOMException('', 'TimeoutError'), 'platform-exhausted'],
      ['its caller went away', undefined, 'cancelled'],
    ];
    for (const [when, reason, code] of endings) {
      it(`waits no longer when ${when}`, () => {
        const ending = new AbortController();
        const { ended } = waiting(ending.signal);
        ending.abort(reason);
        expect([ended, acts]).to.deep.equal([[code], ['left', 'abort']]);
      });
    }

    it('that came late is no fault of a provider when the time is over before it is read', async () => {
      const ending = new AbortController();
      const { ended } = waiting(ending.signal);
      grant();
      await nextTurn();
      ending.abort(new DOMException('', 'TimeoutError'));
      expect(ended).to.deep.equal(['platform-exhausted']);
    });

    it('that came late, and then breaks, is one of the provider', () => {
      const { exchange, ended } = waiting();
      grant();
      exchange.onResponseError(seen, new Error('reset'));
      expect(ended).to.deep.equal(['truncated']);
    });

    it('waits no longer when the provider breaks the connection', () => {
      const { exchange, ended } = waiting();
      exchange.onResponseError(seen, new Error('reset'));
      expect([ended, acts[0]]).to.deep.equal([['platform-exhausted'], 'left']);
    });
  });

  it('makes no timer when it was aborted before', () => {
    const before = timers();
    const { exchange, ended } = anExchange(AbortSignal.abort());
    exchange.limitConnecting();
    expect([timers(), ended]).to.deep.equal([before, ['cancelled']]);
  });
});
