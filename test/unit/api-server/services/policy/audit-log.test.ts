import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openLog } from '../../../../../adapters/telemetry/logger.ts';
import { auditLog } from '../../../../../api-server/services/policy/audit-log.ts';

describe('the log of who changed what', () => {
  it('has handed its line over when the call returns', async () => {
    const target = new PassThrough();
    const { logger } = openLog({ target, level: 'info', style: 'json', now: () => 0 });
    auditLog(logger).info('a policy is promoted', { policy: 'acme/limits' });
    const handed = target.readableLength;
    target.end();
    expect(handed).to.be.greaterThan(0);
    expect(await text(target))
      .to.include('"a policy is promoted"')
      .and.to.include('"acme/limits"');
  });

  it('does not wait for a reader that stands still', () => {
    const said: string[] = [];
    const standing = {
      info: (message: string): void => void said.push(message),
      flush: () => new Promise<void>(() => {}),
    };
    expect(auditLog(standing).info('a policy is promoted')).to.equal(undefined);
    expect(said).to.deep.equal(['a policy is promoted']);
  });
});
