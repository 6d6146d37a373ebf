import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../../hack/control-plane/command.ts';
import { ensurePrometheus } from '../../../hack/prometheus/binaries.ts';

const RULES = 'charts/orb-platform/files/prometheus/rules.yaml';

describe('recording rules of the chart', () => {
  let promtool: string;

  before(async () => {
    ({ promtool } = await ensurePrometheus());
  });

  for (const [what, args] of [
    ['are rules', ['check', 'rules', RULES]],
    ['record what the series say', ['test', 'rules', join(import.meta.dirname, 'rules.promtool.yaml')]],
  ] as const)
    it(what, async () => {
      const { code, stdout, stderr } = await command(promtool, args);
      expect(code, `${stdout}${stderr}`).to.equal(0);
    });
});
