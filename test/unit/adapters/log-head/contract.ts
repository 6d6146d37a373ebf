import { expect } from 'chai';
import { HeadMoved, type HeadStore } from '../../../../adapters/log-head/port.ts';
import { refusal } from '../../../support/refusal.ts';

/** A store without a head. */
export interface HeadFixture {
  readonly store: HeadStore;
  /** What somebody else, or the next process, opens. */
  readonly reopen: () => HeadStore;
  /** Takes the head away. */
  readonly remove: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const { signal } = new AbortController();
const NOTE = 'orbs.example/log\n3\nAAAA\n\n— orbs.example/log c2ln\n';

/** What every store of heads must do (adapters/log-head/port.ts). */
export function headStoreContract(name: string, open: () => Promise<HeadFixture>): void {
  describe(`head store: ${name}`, () => {
    let fixture: HeadFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.dispose());

    it('says that there is none', async () => {
      expect(await fixture.store.read(signal)).to.equal(undefined);
    });

    it('gives back what was written, to the byte, with the version that the write answered', async () => {
      const version = await fixture.store.write(NOTE, undefined, signal);
      expect(await fixture.reopen().read(signal)).to.deep.equal({ note: NOTE, version });
    });

    it('replaces the head that was read', async () => {
      const first = await fixture.store.write(NOTE, undefined, signal);
      const second = await fixture.store.write(`${NOTE}— more c2ln\n`, first, signal);
      expect(await fixture.store.read(signal)).to.deep.equal({ note: `${NOTE}— more c2ln\n`, version: second });
    });

    it('writes nothing over a head that the writer has not seen', async () => {
      const first = await fixture.store.write(NOTE, undefined, signal);
      expect(await refusal(fixture.store.write('later\n', undefined, signal))).to.be.instanceOf(HeadMoved);
      const other = await fixture.reopen().write('other\n', first, signal);
      expect(await refusal(fixture.store.write('later\n', first, signal))).to.be.instanceOf(HeadMoved);
      expect(await fixture.store.read(signal)).to.deep.equal({ note: 'other\n', version: other });
    });

    it('writes nothing where a head was taken away, until the writer has seen that', async () => {
      const first = await fixture.store.write(NOTE, undefined, signal);
      await fixture.remove();
      expect(await refusal(fixture.store.write(NOTE, first, signal))).to.be.instanceOf(HeadMoved);
      expect(await fixture.store.read(signal)).to.equal(undefined);
      await fixture.store.write(NOTE, undefined, signal);
      expect((await fixture.store.read(signal))?.note).to.equal(NOTE);
    });
  });
}
