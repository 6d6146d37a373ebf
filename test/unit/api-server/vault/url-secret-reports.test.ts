import { expect } from 'chai';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { UrlSecretReports } from '../../../../api-server/vault/url-secret-reports.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { timers } from '../../../support/timers.ts';

function idOf(text: string): OrbId {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
}
const MAIL = idOf('acme.mail@1.0.0');

interface Started {
  readonly clock: FakeClock;
  readonly reports: UrlSecretReports;
  readonly enqueued: string[];
}

function start(): Started {
  const clock = createFakeClock(0);
  const enqueued: string[] = [];
  const orbisets: readonly (readonly [string, readonly string[]])[] = [
    ['acme/one', []],
    ['acme/two', ['acme.mail@1.0.0']],
    ['globex/three', ['acme.mail']],
    ['globex/four', ['acme.mail@2.0.0']],
  ];
  const reports = new UrlSecretReports({
    clock,
    reports: () => orbisets.map(([key, orbs]) => [key, { orbs }] as const),
    enqueue: (key) => void enqueued.push(key),
  });
  return { clock, reports, enqueued };
}

describe('UrlSecretReports', () => {
  it('enqueues the Orbisets of the namespace after a second, once for all changes of it', async () => {
    const { clock, reports, enqueued } = start();
    for (let change = 0; change < 1000; change += 1) reports.changed('acme', MAIL, false);
    await clock.advance(999);
    expect(enqueued).to.deep.equal([]);
    await clock.advance(1);
    expect(enqueued).to.deep.equal(['acme/one', 'acme/two']);
    await clock.advance(10_000);
    expect(enqueued.splice(0)).to.have.length(2);
    reports.changed('globex', MAIL, false);
    await clock.advance(1000);
    expect(enqueued).to.deep.equal(['globex/three', 'globex/four']);
  });

  it('enqueues the Orbisets that list a shared Orb, by name or version', async () => {
    const { clock, reports, enqueued } = start();
    reports.changed('orb-system', MAIL, true);
    await clock.advance(1000);
    expect(enqueued).to.deep.equal(['acme/two', 'globex/three']);
  });

  it('keeps no process alive while it gathers', () => {
    const reports = new UrlSecretReports({ clock: systemClock, reports: () => [], enqueue: () => undefined });
    const before = timers();
    reports.changed('acme', MAIL, false);
    expect(timers()).to.equal(before);
    reports.stop();
  });

  it('enqueues nothing after its end', async () => {
    const { clock, reports, enqueued } = start();
    reports.changed('acme', MAIL, false);
    reports.stop();
    await clock.advance(1000);
    expect([enqueued, clock.sleeping()]).to.deep.equal([[], 0]);
  });
});
