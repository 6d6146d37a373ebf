import { expect } from 'chai';
import { ReadPace } from '../../../../adapters/egress/read-pace.ts';

const PIECE = 65_536;
const PIECES = 64;

/** Exchanges that have the same number of pieces each, and read on as soon as they may. */
class Rig {
  readonly read: string[] = [];
  readonly #turns: (() => void)[] = [];
  readonly #pace = new ReadPace((callback) => void this.#turns.push(callback));

  start(name: string, pieces = PIECES): void {
    if (pieces === 0) return;
    this.read.push(name);
    if (!this.#pace.take(PIECE, () => this.start(name, pieces - 1))) this.start(name, pieces - 1);
  }

  /** @returns false: no turn was asked for */
  turn(): boolean {
    const turn = this.#turns.shift();
    turn?.();
    return turn !== undefined;
  }
}

describe('ReadPace', () => {
  it('reads 256 KiB of an answer at once, and the rest in later turns', () => {
    const rig = new Rig();
    rig.start('one');
    const sizes = [rig.read.length];
    for (let before = rig.read.length; rig.turn(); before = rig.read.length) sizes.push(rig.read.length - before);
    expect(Math.max(...sizes)).to.equal(5);
    expect(rig.read.length).to.equal(PIECES);
  });

  it('lets each exchange read as often as the others, give or take one turn', () => {
    const rig = new Rig();
    const names = Array.from({ length: 12 }, (_, at) => `answer ${at}`);
    for (const name of names) rig.start(name);
    rig.read.length = 0;
    for (let turns = 0; turns < 100; turns += 1) {
      const before = rig.read.length;
      rig.turn();
      expect(rig.read.length - before).to.be.at.most(5);
    }
    const counts = names.map((name) => rig.read.filter((one) => one === name).length);
    expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(5);
    expect(Math.min(...counts)).to.be.greaterThan(20);
  });

  it('ends with the last answer', () => {
    const rig = new Rig();
    rig.start('one', 7);
    let turns = 0;
    while (rig.turn()) turns += 1;
    expect([rig.read.length, turns]).to.deep.equal([7, 2]);
  });
});
