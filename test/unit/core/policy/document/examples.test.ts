import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { checkSchema } from '../../../../../core/manifest/check-schema.ts';
import { parseDocuments } from '../../../../../core/manifest/parse-text.ts';
import { compileDocument } from '../../../../../core/policy/document/compile-document.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { runPolicyTests } from '../../../../../core/policy/simulation/run-tests.ts';
import type { OrbPolicy } from '../../../../../crds/orbpolicy.ts';
import { STARTED_AT } from '../../../../support/policies.ts';

const FOLDER = new URL('../../../../../manifests/kubernetes/policies/', import.meta.url);
const FILES = readdirSync(FOLDER).toSorted();

function readExample(file: string): OrbPolicy {
  const [parsed] = parseDocuments(readFileSync(new URL(file, FOLDER), 'utf8'), 'yaml');
  if (parsed?.ok !== true) throw new TypeError(`${file} is no YAML`);
  const checked = checkSchema('orbpolicy', parsed.value);
  if (!checked.ok) throw new TypeError(JSON.stringify(checked.findings));
  return checked.value;
}

describe('the example policies', () => {
  it('are these', () => {
    expect(FILES).to.deep.equal([
      'certified.yaml',
      'day-budget.yaml',
      'idempotency-key.yaml',
      'payment-approval.yaml',
      'region.yaml',
    ]);
  });

  it('are shown by the page about policies as they are', () => {
    const page = readFileSync(new URL('../../../docs/policies.md', FOLDER), 'utf8');
    const shown = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    expect(shown).to.deep.equal([readFileSync(new URL('day-budget.yaml', FOLDER), 'utf8')]);
  });

  for (const file of FILES)
    it(`${file} compiles without a warning that its reader could act on, and passes its tests`, () => {
      const { metadata, spec } = readExample(file);
      const document = compileDocument({ namespace: 'acme', name: metadata.name, spec }, STARTED_AT, CEL_ENGINE);
      const codes = document.findings.map(({ code }) => code).filter((code) => code !== 'counts-from-now');
      expect(codes).to.deep.equal([]);
      expect(`${metadata.name}.yaml`).to.equal(file);
      expect(spec.mode).to.equal('Audit');
      const report = document.ok ? runPolicyTests(document.definition, document.compiled) : undefined;
      expect(report?.results.filter(({ passed }) => !passed)).to.deep.equal([]);
      expect(report?.results.length).to.be.above(1);
    });
});
