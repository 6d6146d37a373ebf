import { expect } from 'chai';
import { basename, dirname, join } from 'node:path';
import { citationsOf, faultOf, placeOfHeading, placesOf, type Places } from '../../support/docs/citations.ts';
import { anchorOf, headingsOf, linksOf } from '../../support/docs/markdown.ts';
import { readText, textFiles } from '../../support/docs/repository.ts';

const DESIGN = join('docs', 'design');
// Each page of contents lists the documents beside it.
const CONTENTS = join(DESIGN, 'README.md');
// Test vectors are an unchanged copy and name sections of the documents that they were published with; what a citation looks
// like is shown here and in the resolver.
const UNREAD = /^test\/(?:vectors\/|unit\/docs\/|support\/docs\/)/;

const documents = textFiles(DESIGN).filter((path) => path.endsWith('.md') && path !== CONTENTS);
const places: Places = new Map(documents.map((path) => [basename(path), placesOf(readText(path))]));
const designed = new Set(places.keys());

const PAGE =
  '# Rules\n\n## 2. Resources\n\n### 6.1 Accounts\n\n## A3. Reflector\n\n| Id | Rule |\n| --- | --- |\n| S12 | Tokens |\n';
const SMALL: Places = new Map([['rules.md', placesOf(PAGE)]]);
const NAMES = new Set(SMALL.keys());
/** The document after one of its headings or rows was renamed. */
const renamed = (from: string, to: string): Places => new Map([['rules.md', placesOf(PAGE.replace(from, to))]]);
/** What is wrong with the citations of a comment, one text each. */
const faultsOf = (comment: string, rules: Places = SMALL): readonly string[] =>
  citationsOf(comment, NAMES).flatMap((citation) => faultOf(citation, rules) ?? []);

describe('citations', () => {
  const found: readonly [why: string, comment: string, cited: readonly string[]][] = [
    ['a section', 'Waits (rules.md §6.1).', ['rules.md ', 'rules.md §6.1']],
    ['the row of a table', 'rules.md S12: cached', ['rules.md ', 'rules.md S12']],
    [
      'rows and sections in a list',
      '(`rules.md` §2, §6.1, S12 and A3)',
      ['', '§2', '§6.1', 'S12', 'A3'].map((place) => `rules.md ${place}`),
    ],
    ['a section of the document named before', 'rules.md §2\nthen §6.1', ['rules.md ', 'rules.md §2', 'rules.md §6.1']],
    ['a row in parentheses', 'rules.md §2\ndefault deny (S12)', ['rules.md ', 'rules.md §2', 'rules.md S12']],
    ['a document that is not there', 'ledger.md §5', ['ledger.md ', 'ledger.md §5']],
    ['the specification', 'one run (spec §4.1)', ['interface-specification.md ', 'interface-specification.md §4.1']],
    [
      'no section of a publication of others',
      'rules.md §2, RFC 9162 §2.1.3.2 and §2.1.4.2',
      ['rules.md ', 'rules.md §2'],
    ],
    ['no id of a scenario', "rules.md §2\n{ id: 'S8' } runs S9 to S11", ['rules.md ', 'rules.md §2']],
    ['no page for readers', 'see docs/quick-start.md and gitops.md', []],
    ['a section without a document', 'as §3 says', ['undefined §3']],
  ];
  for (const [why, comment, cited] of found)
    it(`are found: ${why}`, () => {
      expect(citationsOf(comment, NAMES).map(({ document, place }) => `${String(document)} ${place}`)).to.deep.equal(
        cited,
      );
    });

  it('are of the design document that they stand in, unless they follow another one at once', () => {
    const text = '[rules.md](rules.md) §2 and §6.1, as §4 says (S8). RFC 8785 §3\nthen §5';
    const cited = citationsOf(text, NAMES, 'own.md').filter(({ place }) => place !== '');
    expect(cited.map(({ document, place }) => `${String(document)} ${place}`)).to.deep.equal([
      'rules.md §2',
      'rules.md §6.1',
      'own.md §4',
      'own.md S8',
      'own.md §5',
    ]);
  });

  it('tell their line', () => {
    expect(citationsOf('\n\nrules.md §2', NAMES).map(({ line }) => line)).to.deep.equal([3, 3]);
  });

  it('resolve to a heading, a lettered section and a row', () => {
    expect(faultsOf('rules.md §2, §6.1, A3 and S12')).to.deep.equal([]);
  });

  it('are faults when section, row or document are missing', () => {
    expect(faultsOf('rules.md §7')).to.deep.equal(['rules.md §7: there is no such place']);
    expect(faultsOf('rules.md S13')).to.deep.equal(['rules.md S13: there is no such place']);
    expect(faultsOf('ledger.md §5')).to.deep.equal([
      'ledger.md : there is no such document',
      'ledger.md §5: there is no such document',
    ]);
    expect(faultsOf('as §2 says')).to.deep.equal(['§2: no document is named before it']);
  });

  it('are faults after the heading lost or changed its number', () => {
    expect(faultsOf('rules.md §2', renamed('2. Resources', 'Resources'))).to.have.length(1);
    expect(faultsOf('rules.md §2', renamed('2. Resources', '3. Resources'))).to.have.length(1);
    expect(faultsOf('rules.md A3', renamed('A3. Reflector', 'Reflector'))).to.have.length(1);
    expect(faultsOf('rules.md S12', renamed('| S12 ', '| S21 '))).to.have.length(1);
  });

  it('of code, tests, charts and docs resolve', () => {
    const cited = textFiles()
      .filter((path) => !UNREAD.test(path))
      .flatMap((path) => {
        const own = dirname(path) === DESIGN && path !== CONTENTS ? basename(path) : undefined;
        return citationsOf(readText(path), designed, own).map((citation) => ({ path, ...citation }));
      });
    const faults = cited.flatMap(({ path, ...citation }) => {
      const fault = faultOf(citation, places);
      return fault === undefined ? [] : [`${path}:${citation.line} ${fault}`];
    });
    expect(faults).to.deep.equal([]);
    expect(cited.filter(({ place }) => place !== '').length).to.be.greaterThan(500);
  });
});

describe('contents of docs/design', () => {
  for (const path of documents.filter((name) => headingsOf(readText(name)).some((heading) => placeOfHeading(heading))))
    it(`list every section of ${basename(path)} by its title, so that a renamed one is noticed`, () => {
      const sections = headingsOf(readText(path)).filter((heading) => placeOfHeading(heading) !== undefined);
      const links = linksOf(readText(CONTENTS)).filter((link) => link.startsWith(`${basename(path)}#`));
      expect(links).to.deep.equal(sections.map((heading) => `${basename(path)}#${anchorOf(heading)}`));
    });

  it('name every document', () => {
    const linked = new Set(linksOf(readText(CONTENTS)).map((link) => link.split('#')[0]));
    expect(documents.map((path) => basename(path)).filter((name) => !linked.has(name))).to.deep.equal([]);
  });

  it('share no name with a page for readers', () => {
    const pages = textFiles('docs').filter((path) => path.endsWith('.md') && dirname(path) !== DESIGN);
    expect(pages.map((path) => basename(path)).filter((name) => designed.has(name))).to.deep.equal([]);
  });
});
