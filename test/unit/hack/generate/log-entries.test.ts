import { expect } from 'chai';
import { resolve } from 'node:path';
import { ENTRY_MEMBERS } from '../../../../core/log-entry/entry-members.ts';
import { logEntryArtefacts } from '../../../../hack/generate/log-entries.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const plain = (text: string): string => text.replaceAll('\\', '');

/** Rows of the tables of a page, by heading: name, form and meaning of each member. */
function sectionsOf(page: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const sections = plain(page).split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const rows = [...section.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.*?) +\|$/gm)];
      return [
        section.split('\n', 1)[0] ?? '',
        rows.map(([, name = '', form = '', meaning = '']) => [name, form, meaning]),
      ];
    }),
  );
}

describe('the reference of log entries', () => {
  let sections: ReturnType<typeof sectionsOf>;
  before(async () => {
    const [page] = await logEntryArtefacts(ROOT);
    sections = sectionsOf(page?.text ?? '');
  });

  it('has every kind in its order', () => {
    expect([...sections.keys()]).to.deep.equal(Object.keys(ENTRY_MEMBERS));
  });

  for (const [kind, members] of Object.entries(ENTRY_MEMBERS))
    it(`has the members of ${kind}, each with a form and a meaning`, () => {
      const rows = sections.get(kind) ?? [];
      expect(rows.map(([name]) => name)).to.deep.equal(Object.keys(members));
      for (const [name, form, meaning] of rows) {
        expect(form, name).to.match(/^[a-z`]/);
        expect(meaning, name).to.match(/^\S.+\.$/);
      }
    });

  it('shows the words of a member that has only some', () => {
    expect(sections.get('incident')?.find(([name]) => name === 'impact')?.[1]).to.equal('`minor`, `major`, `critical`');
    expect(sections.get('test_report')?.find(([name]) => name === 'suite_digest')?.[1]).to.equal('string or null');
  });
});
