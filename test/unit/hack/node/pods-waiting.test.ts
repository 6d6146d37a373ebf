import { resolve } from 'node:path';
import { expect } from 'chai';
import { command } from '../../../../hack/control-plane/command.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../../hack/node/pods-waiting.ts');

const pod = (name: string, status: object, metadata: object = {}): object => ({
  metadata: { name, namespace: 'apps', ...metadata },
  status: { phase: 'Running', ...status },
});
const ran = (ready: boolean, startedAt: string): object => ({
  containerStatuses: [{ name: 'main', ready, state: { running: { startedAt } } }],
});

const NEW = '2026-01-02T00:00:01Z';
const OLD = '2026-01-01T00:00:00Z';

describe('pods that a reboot has not brought back', () => {
  it('are those that have not been Ready since, and neither finished nor leaving', async () => {
    const items = [
      pod('back', ran(true, NEW)),
      pod('stale', ran(true, OLD)),
      pod('starting', ran(false, NEW)),
      pod('pending', { phase: 'Pending' }),
      pod('finished', { phase: 'Succeeded' }),
      pod('leaving', ran(true, OLD), { deletionTimestamp: NEW }),
    ];
    const moment = '2026-01-02T00:00:00Z';
    const { stdout, stderr } = await command(process.execPath, [PROGRAM, moment], { input: JSON.stringify({ items }) });
    expect(stdout, stderr).to.equal('apps/stale\napps/starting\napps/pending\n');
  });

  it('are not guessed from something else', async () => {
    const { code, stderr } = await command(process.execPath, [PROGRAM, NEW], { input: '{}' });
    expect(code).to.equal(1);
    expect(stderr).to.contain('no list of pods');
  });
});
