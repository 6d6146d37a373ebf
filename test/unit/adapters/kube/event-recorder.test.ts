import { expect } from 'chai';
import type { EventSpec } from '../../../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { createEventRecorder, type EventRecorder } from '../../../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { recordLog, recordMetrics, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';

interface Setup {
  readonly clock: FakeClock;
  readonly api: FakeKubeClient;
  readonly recorder: EventRecorder;
  readonly log: RecordedLog;
  readonly counts: () => Readonly<Record<string, number>>;
  /** `reason xCount` of all Events there are, in order of creation. */
  readonly written: () => readonly string[];
}

const START = Date.UTC(2026, 0, 1, 12);

function setup(options: { readonly running?: boolean } = {}): Setup {
  const clock = createFakeClock(START);
  const api = createFakeKubeClient();
  const log = recordLog();
  const noted = recordMetrics();
  const recorder = createEventRecorder({
    client: api,
    clock,
    logger: log.logger,
    metrics: noted.metrics,
    reportingController: 'orbs.dev/operator',
    reportingInstance: 'orb-operator-0',
  });
  if (options.running !== false) void recorder.run(new AbortController().signal);
  const written = (): readonly string[] =>
    api.objects(KINDS.event).map((event) => {
      const series: unknown = event['series'];
      const count =
        typeof series === 'object' && series !== null && 'count' in series ? ` x${String(series.count)}` : '';
      return `${String(event['reason'])}${count}`;
    });
  return { clock, api, recorder, log, counts: noted.counts, written };
}

const anOrb = (name = 'mail', changes: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name, namespace: 'team-a', uid: `uid-${name}`, resourceVersion: '77', ...changes },
});

const anEvent = (changes: Partial<EventSpec> = {}): EventSpec => ({
  type: 'Normal',
  reason: 'Compiled',
  action: 'Compile',
  note: 'the manifest is valid',
  ...changes,
});

describe('createEventRecorder', () => {
  it('reports what has an id once each, whatever else has the same reason', async () => {
    const { clock, recorder, written, api } = setup();
    for (const id of ['rcpt_1', 'rcpt_2', 'rcpt_1'])
      recorder.record(anOrb(), [anEvent({ reason: 'ProviderChanged', id })]);
    await clock.advance(0);
    expect(written()).to.deep.equal(['ProviderChanged', 'ProviderChanged']);
    expect(api.objects(KINDS.event).map(({ metadata }) => metadata.name)).to.deep.equal(['mail-rcpt-1', 'mail-rcpt-2']);
  });

  it('counts an Event with its id as sent when another process has written it', async () => {
    const [one, other] = [setup(), setup()];
    const event = anEvent({ reason: 'ProviderChanged', id: 'rcpt_1' });
    other.api.before = () => {
      throw kubeError(409, 'AlreadyExists');
    };
    for (const { recorder, clock } of [one, other]) {
      recorder.record(anOrb(), [event]);
      await clock.advance(0);
    }
    expect(one.written()).to.deep.equal(['ProviderChanged']);
    expect(other.log.lines).to.deep.equal([]);
    expect(Object.keys(other.counts()).filter((name) => name.includes('drop'))).to.deep.equal([]);
  });

  it('writes what happened, to which object, by whom and when', async () => {
    const { clock, api, recorder } = setup();
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(0);
    const [event] = api.objects(KINDS.event);
    expect(event).to.deep.include({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-01-01T12:00:00.000000Z',
      reportingController: 'orbs.dev/operator',
      reportingInstance: 'orb-operator-0',
      action: 'Compile',
      reason: 'Compiled',
      type: 'Normal',
      note: 'the manifest is valid',
      regarding: {
        apiVersion: 'orbs.dev/v1alpha1',
        kind: 'Orb',
        name: 'mail',
        namespace: 'team-a',
        uid: 'uid-mail',
        resourceVersion: '77',
      },
    });
    expect(event?.metadata.namespace).to.equal('team-a');
    expect(event?.metadata.name).to.match(/^mail-./);
  });

  it('writes Events of what has no namespace to the default one', async () => {
    const { clock, api, recorder } = setup();
    const { namespace: _namespace, ...metadata } = anOrb().metadata;
    recorder.record({ ...anOrb(), metadata }, [anEvent()]);
    await clock.advance(0);
    expect(api.objects(KINDS.event).map((event) => event.metadata.namespace)).to.deep.equal(['default']);
  });

  const notes: readonly (readonly [string, string, number])[] = [
    ['keeps a note of 1 024 bytes', 'x'.repeat(1024), 1024],
    ['cuts a longer one to 1 024 bytes', 'x'.repeat(1025), 1024],
    ['cuts between characters, though the server counts bytes', 'ä€😀'.repeat(300), 1023],
  ];
  for (const [why, note, bytes] of notes) {
    it(why, async () => {
      const { clock, api, recorder } = setup();
      recorder.record(anOrb(), [anEvent({ note })]);
      await clock.advance(0);
      const text = String(api.objects(KINDS.event)[0]?.['note']);
      expect(Buffer.byteLength(text)).to.be.within(bytes - 4, bytes);
      expect(note.startsWith(text.replace(/…$/u, ''))).to.equal(true);
    });
  }

  it('counts the same again in a series, with at most one patch a minute', async () => {
    const { clock, api, recorder, written } = setup();
    for (let n = 0; n < 90; n += 1) {
      recorder.record(anOrb(), [anEvent({ note: `time ${n}` })]);
      await clock.advance(2000);
    }
    expect(api.requests.map(({ verb }) => verb)).to.deep.equal(['create', 'patch', 'patch', 'patch']);
    await clock.advance(60_000);
    expect(written()).to.deep.equal(['Compiled x90']);
    expect(api.objects(KINDS.event)[0]?.['series']).to.deep.equal({
      count: 90,
      lastObservedTime: '2026-01-01T12:02:58.000000Z',
    });
  });

  it('begins a new Event after 10 minutes without the old one', async () => {
    const { clock, recorder, written } = setup();
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(600_000);
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(0);
    expect(written()).to.deep.equal(['Compiled', 'Compiled']);
  });

  it('tells objects, types, reasons and actions apart', async () => {
    const { clock, recorder, written } = setup();
    recorder.record(anOrb(), [
      anEvent(),
      anEvent({ type: 'Warning' }),
      anEvent({ reason: 'Pinned' }),
      anEvent({ action: 'Pin' }),
    ]);
    recorder.record(anOrb('other'), [anEvent()]);
    recorder.record(anOrb('mail', { uid: 'made again' }), [anEvent()]);
    await clock.advance(0);
    expect(written()).to.have.length(6);
  });

  it('lets 25 of an object and type through, then one in 5 minutes, and counts the others', async () => {
    const { clock, recorder, written, counts } = setup();
    for (let n = 0; n < 30; n += 1) recorder.record(anOrb(), [anEvent({ reason: `R${n}` })]);
    recorder.record(anOrb(), [anEvent({ type: 'Warning', reason: 'W' })]);
    recorder.record(anOrb('other'), [anEvent({ reason: 'O' })]);
    await clock.advance(0);
    expect(written()).to.deep.equal([...Array.from({ length: 25 }, (_, n) => `R${n}`), 'W', 'O']);
    expect(counts()).to.deep.equal({ 'eventDropped Normal': 5 });
    await clock.advance(300_000);
    for (const reason of ['S1', 'S2']) recorder.record(anOrb(), [anEvent({ reason })]);
    await clock.advance(0);
    expect(written().slice(27)).to.deep.equal(['S1']);
  });

  it('holds 1 000 and drops Normal ones for a Warning, never the other way round', async () => {
    const { clock, api, recorder, counts } = setup({ running: false });
    for (let n = 0; n < 1000; n += 1)
      recorder.record(anOrb(`orb-${n}`), [anEvent({ type: n < 2 ? 'Normal' : 'Warning' })]);
    for (let n = 0; n < 3; n += 1) recorder.record(anOrb(`late-${n}`), [anEvent({ type: 'Warning' })]);
    recorder.record(anOrb('late'), [anEvent()]);
    expect(counts()).to.deep.equal({ 'eventDropped Normal': 3, 'eventDropped Warning': 1 });
    void recorder.run(new AbortController().signal);
    await recorder.flush(1000);
    await clock.advance(0);
    expect(api.objects(KINDS.event).map(({ type }) => type)).to.deep.equal(
      Array.from({ length: 1000 }, () => 'Warning'),
    );
  });

  for (const status of [403, 404]) {
    it(`is silent when the namespace goes (${status})`, async () => {
      const { clock, api, recorder, log } = setup();
      api.before = () => {
        throw kubeError(status, '');
      };
      recorder.record(anOrb(), [anEvent()]);
      await clock.advance(0);
      expect(log.lines).to.deep.equal([]);
    });
  }

  it('says when an Event was refused, and goes on', async () => {
    const { clock, api, recorder, log, counts, written } = setup();
    api.before = ({ key }) => {
      if (key.startsWith('team-b')) throw kubeError(422, 'Invalid');
    };
    recorder.record(anOrb('bad', { namespace: 'team-b' }), [anEvent()]);
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(0);
    expect(log.texts()).to.deep.equal(['warn an Event was not written']);
    expect(counts()).to.deep.equal({ 'eventDropped Normal': 1 });
    expect(written()).to.deep.equal(['Compiled']);
  });

  for (const status of [0, 429, 500, 503])
    it(`reports what has an id until the server takes it, once (${status})`, async () => {
      const { clock, api, recorder, counts, written } = setup();
      let refused = 0;
      api.before = () => {
        refused += 1;
        if (refused <= 3) throw kubeError(status, '');
      };
      recorder.record(anOrb(), [anEvent({ id: 'rcpt_1' })]);
      await clock.advance(0);
      await clock.advance(60_000);
      expect(written()).to.deep.equal(['Compiled']);
      expect([refused, counts()]).to.deep.equal([4, {}]);
    });

  it('gives up on what has an id and is refused for what it is', async () => {
    const { clock, api, recorder, counts } = setup();
    let refused = 0;
    api.before = () => {
      refused += 1;
      throw kubeError(422, 'Invalid');
    };
    recorder.record(anOrb(), [anEvent({ id: 'rcpt_1' })]);
    await clock.advance(0);
    await clock.advance(60_000);
    expect([refused, counts()]).to.deep.equal([1, { 'eventDropped Normal': 1 }]);
  });

  it('makes the Event again when it is gone', async () => {
    const { clock, api, recorder, written } = setup();
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(61_000);
    const [event] = api.objects(KINDS.event);
    api.remove(KINDS.event, { namespace: 'team-a', name: event?.metadata.name ?? '' });
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(0);
    expect(written()).to.deep.equal(['Compiled']);
  });

  it('flushes what waits and what a series has not told yet', async () => {
    const { clock, recorder, written } = setup();
    recorder.record(anOrb(), [anEvent()]);
    await clock.advance(0);
    for (let n = 0; n < 4; n += 1) recorder.record(anOrb(), [anEvent()]);
    recorder.record(anOrb(), [anEvent({ reason: 'Pinned' })]);
    await recorder.flush(1000);
    expect(written()).to.deep.equal(['Compiled x5', 'Pinned']);
    expect(clock.monotonic()).to.equal(0);
  });

  it('waits for a flush no longer than it may', async () => {
    const { clock, api, recorder } = setup();
    api.before = () => new Promise(() => undefined);
    recorder.record(anOrb(), [anEvent()]);
    const flushed = recorder.flush(1000);
    await clock.advance(1000);
    await flushed;
    expect(clock.monotonic()).to.equal(1000);
  });
});
