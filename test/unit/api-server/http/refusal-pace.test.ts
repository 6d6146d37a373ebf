import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { RefusalPace } from '../../../../api-server/http/refusal-pace.ts';
import type { RateLimit } from '../../../../core/rate-limit/rate.ts';

const RATE: RateLimit = { perSecond: 100, burst: 3 };
const EVERY_MS = 10;

/** A pace with a clock of its own; `pass` moves it, and calls back what is due by then. */
class Rig {
  readonly sent: string[] = [];
  readonly pace: RefusalPace;
  timers = 0;
  #now = 0;
  readonly #due: { readonly at: number; readonly callback: () => void }[] = [];

  constructor(rate: RateLimit) {
    const after = (ms: number, callback: () => void): void => {
      this.timers += 1;
      this.#due.push({ at: this.#now + ms, callback });
    };
    this.pace = new RefusalPace(rate, { now: () => this.#now, after });
  }

  refuse(key: string, tenant = ''): EventEmitter {
    const response = new EventEmitter();
    this.pace.take({ tenant, key }, response, () => void this.sent.push(key));
    return response;
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (let first = this.#due.shift(); first !== undefined; first = this.#due.shift()) {
      if (first.at > until) {
        this.#due.unshift(first);
        break;
      }
      this.#now = first.at;
      first.callback();
    }
    this.#now = until;
  }
}

function many(rig: Rig, count: number): void {
  for (let at = 0; at < count; at += 1) rig.refuse('flood');
}

describe('RefusalPace', () => {
  it('sends a few at once, without a timer', () => {
    const rig = new Rig(RATE);
    many(rig, 3);
    expect([rig.sent.length, rig.timers, rig.pace.waiting]).to.deep.equal([3, 0, 0]);
    rig.pass(EVERY_MS);
    rig.refuse('later');
    expect([rig.sent.at(-1), rig.timers]).to.deep.equal(['later', 0]);
  });

  it('sends more of them at its rate', () => {
    const rig = new Rig(RATE);
    many(rig, 100);
    expect([rig.sent.length, rig.pace.waiting]).to.deep.equal([3, 97]);
    rig.pass(50 * EVERY_MS);
    expect([rig.sent.length, rig.pace.waiting]).to.deep.equal([53, 47]);
    rig.pass(1000);
    expect([rig.sent.length, rig.pace.waiting]).to.deep.equal([100, 0]);
    const { timers } = rig;
    rig.pass(1000);
    expect(rig.timers).to.equal(timers);
  });

  it('sends what the timer was late for, but never more at once than the burst', () => {
    let now = 0;
    const callbacks: (() => void)[] = [];
    const pace = new RefusalPace(RATE, { now: () => now, after: (_ms, callback) => void callbacks.push(callback) });
    let sent = 0;
    for (let at = 0; at < 20; at += 1) pace.take({ tenant: '', key: 'flood' }, new EventEmitter(), () => (sent += 1));
    now = 10_000;
    callbacks.shift()?.();
    expect([sent, pace.waiting, callbacks.length]).to.deep.equal([6, 14, 1]);
  });

  it('lets a refusal of another caller go next, of another tenant or of another key', () => {
    const rig = new Rig(RATE);
    many(rig, 100);
    rig.pass(EVERY_MS);
    rig.refuse('other');
    rig.refuse('tenant', 'acme');
    rig.pass(3 * EVERY_MS);
    expect(rig.sent.slice(4)).to.have.members(['flood', 'other', 'tenant']);
  });

  it('keeps no refusal whose connection closed', () => {
    const rig = new Rig(RATE);
    many(rig, 4);
    const gone = rig.refuse('gone');
    gone.emit('close');
    expect(rig.pace.waiting).to.equal(1);
    rig.pass(1000);
    expect(rig.sent).to.deep.equal(Array.from({ length: 4 }, () => 'flood'));
  });

  it('holds nothing back without a rate', () => {
    const rig = new Rig('none');
    many(rig, 1000);
    expect([rig.sent.length, rig.timers]).to.deep.equal([1000, 0]);
  });
});
