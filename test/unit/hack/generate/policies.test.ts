import { expect } from 'chai';
import { resolve } from 'node:path';
import { OBLIGATION_TYPES } from '../../../../core/policy/decision/obligations.ts';
import { ORB_FACTS } from '../../../../core/policy/facts/orb-facts.ts';
import { FUNCTIONS } from '../../../../core/policy/language/functions.ts';
import { LINT_CODES } from '../../../../core/policy/language/lint-codes.ts';
import { policyArtefacts } from '../../../../hack/generate/policies.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** Cells of the tables under a heading. */
function rowsUnder(page: string, heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split('|'));
  return rows.map((cells) => cells.map((cell) => cell.trim()));
}

const namesUnder = (page: string, heading: string): readonly unknown[] =>
  rowsUnder(page, heading).map(([name]) => name);

describe('the reference of policies', () => {
  let page = '';
  before(async () => {
    const [artefact] = await policyArtefacts(ROOT);
    page = artefact?.text ?? '';
  });

  it('has every fact with its type, phase and meaning', () => {
    const rows = rowsUnder(page, 'Facts');
    expect(rows.map(([path]) => path)).to.deep.equal([...ORB_FACTS.facts.keys()].map((path) => `\`${path}\``));
    for (const cells of rows) expect(cells, cells[0]).to.have.length(7);
  });

  it('shows bounds, which facts may be absent, and which count runs', () => {
    const rows = rowsUnder(page, 'Facts');
    const rowOf = (path: string): readonly string[] => rows.find(([name]) => name === `\`${path}\``)?.slice(1, 6) ?? [];
    expect(rowOf('orb.score')).to.deep.equal(['`int`', '0–100', 'PreFlight', '', '']);
    expect(rowOf('orb.age_days')).to.deep.equal(['`int`', '≥ 0', 'PreFlight', 'yes', '']);
    expect(rowOf('caller.runs_today')).to.deep.equal(['`int`', '≥ 0', 'PreFlight', '', 'yes']);
    expect(rowOf('request.path')).to.deep.equal(['`string`', '≤ 2048 characters', 'Request', '', '']);
    expect(rowOf('orb.labels')[1]).to.equal('≤ 64 keys of ≤ 317 characters');
  });

  it('has every form of every function', () => {
    const calls = rowsUnder(page, 'Functions').flatMap(([cell = '']) => [...cell.matchAll(/`[^`]+`/g)]);
    expect(calls).to.have.length(FUNCTIONS.length);
    expect(calls.map(String)).to.include.members(['`string.startsWith(string)`', '`size(list)`', '`list.size()`']);
  });

  it('has every obligation and every code of a finding', () => {
    expect(namesUnder(page, 'Obligations')).to.deep.equal([...OBLIGATION_TYPES.keys()].map((type) => `\`${type}\``));
    expect(namesUnder(page, 'Findings')).to.deep.equal(Object.keys(LINT_CODES).map((name) => `\`${name}\``));
  });
});
