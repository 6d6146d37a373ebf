import { expect } from 'chai';
import type { EventSpec } from '../../../core/reconcile/event-spec.ts';
import { createLogRecorder } from '../../../standalone/log-recorder.ts';
import { recordingLogger } from '../../support/kube/recorders.ts';
import { anOrb } from '../../support/kube-objects.ts';

const anEvent = (change: Partial<EventSpec> = {}): EventSpec => ({
  type: 'Normal',
  reason: 'ProviderChanged',
  action: 'ChooseProvider',
  note: 'a note',
  ...change,
});

describe('createLogRecorder', () => {
  it('writes an Event as a line with its reason and object, a warning as one', () => {
    const logger = recordingLogger();
    createLogRecorder(logger).record(anOrb('a'), [anEvent(), anEvent({ type: 'Warning', note: 'bad' })]);
    const fields = { reason: 'ProviderChanged', object: 'Orb acme/a' };
    expect(logger.lines).to.deep.equal([
      { level: 'info', message: 'a note', fields },
      { level: 'warn', message: 'bad', fields },
    ]);
  });

  it('writes an Event with an id once, however often it is recorded, and others each time', () => {
    const logger = recordingLogger();
    const recorder = createLogRecorder(logger);
    for (let times = 0; times < 3; times += 1) {
      recorder.record(anOrb('a'), [anEvent({ id: 'rcpt_1' })]);
      recorder.record(anOrb('b'), [anEvent({ id: 'rcpt_1' })]);
      recorder.record(anOrb('a'), [anEvent({ id: 'rcpt_2' })]);
    }
    expect(logger.lines).to.have.length(3);
    recorder.record(anOrb('a'), [anEvent(), anEvent()]);
    expect(logger.lines).to.have.length(5);
  });

  it('forgets the oldest of many', () => {
    const logger = recordingLogger();
    const recorder = createLogRecorder(logger);
    for (let number = 0; number <= 1000; number += 1) recorder.record(anOrb('a'), [anEvent({ id: `rcpt_${number}` })]);
    recorder.record(anOrb('a'), [anEvent({ id: 'rcpt_1000' })]);
    expect(logger.lines).to.have.length(1001);
    recorder.record(anOrb('a'), [anEvent({ id: 'rcpt_0' })]);
    expect(logger.lines).to.have.length(1002);
  });
});
