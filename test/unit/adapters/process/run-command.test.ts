import { expect } from 'chai';
import { runCommand } from '../../../../adapters/process/run-command.ts';
import { EX_CONFIG, StartError } from '../../../../adapters/process/start-error.ts';
import { fakeProcess } from '../../../support/fake-process.ts';

describe('runCommand', () => {
  it('gives a command its arguments, and leaves the end to the process', async () => {
    const fake = fakeProcess(['a', '--b']);
    await runCommand(async (argv) => argv.length, fake.host);
    expect([fake.host.exitCode, fake.exits]).to.deep.equal([2, []]);
  });

  it('keeps an exit code that was set before the command ended', async () => {
    const fake = fakeProcess();
    fake.host.exitCode = 3;
    await runCommand(async () => 0, fake.host);
    expect(fake.host.exitCode).to.equal(3);
  });

  it('prints an error that a user can correct as one line, with its own exit code', async () => {
    const fake = fakeProcess();
    await runCommand(() => Promise.reject(new StartError('no room', EX_CONFIG)), fake.host);
    expect([fake.err(), fake.host.exitCode]).to.deep.equal(['no room\n', EX_CONFIG]);
  });

  it('prints any other error with its stack', async () => {
    const fake = fakeProcess();
    await runCommand(() => Promise.reject(new RangeError('too far')), fake.host);
    expect(fake.err()).to.match(/^RangeError: too far\n +at /);
    expect(fake.host.exitCode).to.equal(1);
  });
});
