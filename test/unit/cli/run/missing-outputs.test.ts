import { expect } from 'chai';
import { missingOutputsText } from '../../../../cli/run/print-run.ts';
import { aCli } from '../../../support/cli-io.ts';
import { aServer, json } from '../../../support/cli-server.ts';
import { rmSync } from 'node:fs';

const RESULT = {
  run_id: 'run_1',
  status: 'completed',
  outputs: { ts: null, url: null },
  missing_outputs: ['ts', 'url'],
  receipt: { receipt_id: 'rcpt_1', trust_score: 100, risk_level: 'low', signature_valid: true },
  execution_ms: 12,
};

describe('outputs that an answer lacks', () => {
  it('are a warning beside the result, which ends with 0', async () => {
    const cli = aCli();
    const server = await aServer(json(200, RESULT));
    const { exit, out, err } = await cli.run(['run', 'a.b@1.0.0', '--server', server.url]);
    await server.close();
    rmSync(cli.folder, { recursive: true });
    expect(exit).to.equal(0);
    expect(out).to.include('completed in 12 ms').and.not.include('warning');
    expect(err).to.include('lacks ts, url').and.to.include('`from`');
  });

  it('are no text when there are none', () => {
    expect(missingOutputsText({ outputs: { ts: 'x' } })).to.equal('');
  });
});
