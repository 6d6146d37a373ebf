import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SwapReceipt } from '../../../../core/receipt/swap-record.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aSwapBundle, keys, type SwapChanges } from '../../core/verify/a-world.ts';

const ROOT = JSON.stringify(keys.root.jwk);

const manual = (record: SwapReceipt): SwapReceipt => ({
  ...record,
  swap: { ...record.swap, kind: 'manual', reason: 'manual', rule: 'pinned' },
  actor: {
    id: 'key:k7Qp2xZa',
    reason: 'maintenance \u001b[2J',
    mode: 'soft',
    expires_at: '2026-11-20T12:31:30.000Z',
    swap_id: null,
  },
  evidence: null,
});

describe('orb verify of a swap receipt', () => {
  let cli: TestCli;
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  async function verify(changes: SwapChanges, ...flags: readonly string[]): Promise<CliResult> {
    const file = join(cli.folder, 'swap.json');
    writeFileSync(file, JSON.stringify(aSwapBundle(changes)));
    return cli.run(['verify', file, '--root', ROOT, ...flags]);
  }

  it('says what was swapped, who decided it and by which rule', async () => {
    const { exit, out } = await verify({});
    expect(exit).to.equal(0);
    expect(out).to.match(
      /^valid: rcpt_\S+ of acme\.mailer@1\.2\.0, swap 1 from sendgrid to mailgun \(latency\), issued /,
    );
    expect(out).to.match(/^ {2}decided +2026-11-20T10:31:30\.000Z by rule degraded$/m);
    expect(out).to.match(/^ {2}by +orb-operator\/1\.4\.0, orb-operator-7c9d-x2k, epoch 7$/m);
    expect(out).to.match(/^ {2}score follows from the checks +not checked$/m);
    expect(out).not.to.include('evidence');
  });

  it('names who asked for a manual swap, and never acts on what they wrote', async () => {
    const { exit, out } = await verify({ record: manual });
    expect(exit).to.equal(0);
    expect(out).to.match(/^ {2}asked for by +key:k7Qp2xZa, soft until 2026-11-20T12:31:30\.000Z$/m);
    expect(out)
      .to.include(String.raw`maintenance \u001b[2J`)
      .and.not.to.include('\u001b');
  });

  describe('--explain', () => {
    it('decides again on the evidence, and shows the metrics', async () => {
      const { exit, out } = await verify({}, '--explain');
      expect(exit).to.equal(0);
      expect(out).to.match(/^ {2}swap follows from its evidence +ok$/m);
      expect(out).to.match(/^ {2}the swap follows from the evidence: With these metrics the rule degraded leads /m);
      expect(out).to.match(/^ {2}slow beyond +1180 ms \(p95\), in a row: 3 of 3$/m);
      expect(out).to.match(/^ {2}sendgrid +117 +1043 ms +2311 ms +590 ms +0 of 117 +0 of 0 +active$/m);
      expect(out).to.match(/^ {2}mailgun +0 +261 ms +- +- +0 of 0 +10 of 10 +chosen$/m);
    });

    it('trusts no swap that does not follow from its evidence: exit 3', async () => {
      const liar: SwapChanges = {
        record: (record) => ({ ...record, swap: { ...record.swap, reason: 'failback', rule: 'failback' } }),
      };
      const { exit, out } = await verify(liar, '--explain');
      expect(exit).to.equal(3);
      expect(out)
        .to.match(/^untrusted: /)
        .and.to.include('decision_mismatch: the swap does not follow');
      expect(out).to.include('does NOT follow from the evidence');
      expect((await verify(liar)).exit).to.equal(0);
    });

    it('says so when there is nothing to decide on again', async () => {
      const { exit, out } = await verify({ record: manual }, '--explain');
      expect(exit).to.equal(0);
      expect(out).to.include('no evidence: there is nothing to decide again');
    });

    const machine: readonly (readonly [string, SwapChanges, boolean | null])[] = [
      ['follows', {}, true],
      ['can not be known', { record: manual }, null],
    ];
    for (const [why, changes, follows] of machine) {
      it(`tells machines whether it ${why}`, async () => {
        const value: unknown = JSON.parse((await verify(changes, '--explain', '--json')).out);
        expect(value).to.have.nested.property('explanation.follows', follows);
        expect(value).to.have.nested.property('record.swap.seq', 1);
      });
    }
  });

  it('takes no input to compare with: a swap has none', async () => {
    const file = join(cli.folder, 'input.json');
    writeFileSync(file, '{}');
    const { exit, err } = await verify({}, '--input', file, '--input-salt', 'AAAA');
    expect(exit).to.equal(64);
    expect(err).to.include('neither input nor output');
  });
});
