import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parseContent } from '../../../../adapters/manifest-folder/read-folder.ts';
import { checkFound } from '../../../../cli/validate/check-files.ts';
import type { Finding } from '../../../../core/manifest/finding.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { ORB_REASONS } from '../../../../core/orb/reasons.ts';
import { LINT_ROWS, lintOrb, type LintRow } from '../../../support/crds/lint-rows.ts';
import { anOrb } from '../../../support/kube-objects.ts';

const LOCAL = { allowedOrigins: [], publish: false, now: 0 };

function checkText(
  text: string,
  format: 'json' | 'yaml',
): { readonly documents: number; readonly findings: readonly Finding[] } {
  const content = parseContent(text, format);
  const found = checkFound([{ ...content, file: 'orb' }], LOCAL);
  return { documents: content.documents.length, findings: found.map(({ finding }) => finding) };
}

const textOf = (name: string, spec: JsonObject): string => JSON.stringify(lintOrb(name, spec));

/** Findings as `severity code pointer`, as `orb validate` shows them. */
const validated = (spec: JsonObject): readonly string[] =>
  checkText(textOf('bad', spec), 'json').findings.map(
    ({ severity, code, pointer }) => `${severity} ${code} ${pointer.replace(/^\/spec/, '')}`,
  );

const isOfPin = ({ finds }: LintRow): boolean => finds.includes(' /pin/');

describe('lints of swap_config and pins (failover.md §4 and §11)', () => {
  it('find nothing in a manifest that is right', () => {
    expect(validated({ swap_config: { fallbacks: ['b'], strategy: 'latency' } })).to.deep.equal([]);
  });

  for (const row of LINT_ROWS) {
    it(`${row.severity === 'error' ? 'refuse' : 'remark on'} ${row.why}, with the same code for orb validate and for a compiled Orb`, () => {
      const found = validated(row.spec);
      expect(found).to.deep.equal([`${row.severity} ${row.finds}`]);
      if (isOfPin(row)) return; // no part of the manifest
      const { spec } = lintOrb('bad', row.spec);
      const compiled = compileOrb(spec ?? null, { namespace: 'acme', allowedOrigins: [] });
      expect(compiled.ok).to.equal(row.severity !== 'error');
      expect(compiled.findings.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`)).to.deep.equal(
        found,
      );
    });

    if (isOfPin(row)) continue;
    it(`${row.severity === 'error' ? 'keep from running' : 'let run'} a stored Orb with ${row.why}`, () => {
      const { spec } = lintOrb('bad', row.spec);
      const judged = judgeManifest(anOrb('bad', { spec }), []);
      const said = judged.kind === 'invalid' ? judged.message : judged.warnings;
      expect(judged.kind).to.equal(row.severity === 'error' ? 'invalid' : 'valid');
      // A status says what is wrong or may be; advice stands in orb validate alone.
      if (row.severity === 'info') expect(said).to.equal('');
      else
        expect(said)
          .to.match(/^spec\./)
          .and.include(`(${row.finds.split(' ')[0] ?? ''})`);
    });
  }

  it('name the two strategies that there are when a reserved one is refused', () => {
    const [finding] = checkText(textOf('bad', { swap_config: { strategy: 'cost' } }), 'json').findings;
    expect(finding?.detail).to.equal('"cost" is reserved for later; use latency or priority.');
  });

  it('are about one document each: the one beside it is untouched', () => {
    const bad = textOf('bad', { swap_config: { failback: { ramp: [10] } } });
    const { documents, findings } = checkText(`${bad}\n---\n${textOf('good', {})}`, 'yaml');
    expect(documents).to.equal(2);
    expect(findings.map(({ code }) => code)).to.deep.equal(['manifest-swap-ramp']);
  });

  it('stand in the documentation, and nothing else does', async () => {
    const page = await readFile(new URL('../../../../docs/failover-lints.md', import.meta.url), 'utf8');
    const reported = [...page.matchAll(/^\| `((?:manifest|schema|pin)-[a-zA-Z-]+)` /gm)].map(([, code]) => code);
    const codes = LINT_ROWS.map(({ finds }) => finds.split(' ')[0]);
    expect(new Set(reported)).to.deep.equal(new Set([...codes, 'manifest-swap-scrape']));
    for (const reason of Object.keys(ORB_REASONS.SecretsBound)) expect(page).to.include(`\`${reason}\``);
  });
});
