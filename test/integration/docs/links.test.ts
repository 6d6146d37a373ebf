import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCS = join(ROOT, 'docs');
const FENCED = /^```.*?^```$/gms;

const PAGES: readonly string[] = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md'].map((name) => join(ROOT, name)),
  ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(DOCS, name)),
].toSorted();

/** What is not code. */
const proseOf = (path: string): string => readFileSync(path, 'utf8').replaceAll(FENCED, '');
const linksOf = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
const anchorsOf = (path: string): readonly string[] =>
  [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Why a link of a page leads nowhere; undefined when it doesn't. */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor = ''] = link.split('#');
  const target = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return `${link}: there is no such file`;
  if (anchor === '' || statSync(target).isDirectory() || anchorsOf(target).includes(anchor)) return undefined;
  return `${link}: ${relative(ROOT, target)} has no such heading`;
}

describe('links inside the docs', () => {
  for (const page of PAGES)
    it(`of ${relative(ROOT, page)} lead somewhere`, () => {
      expect(linksOf(page).flatMap((link) => faultOf(page, link) ?? [])).to.deep.equal([]);
    });

  it('are found where they lead nowhere', () => {
    const page = join(DOCS, 'gitops.md');
    expect(faultOf(page, 'nothing.md')).to.equal('nothing.md: there is no such file');
    expect(faultOf(page, '#nothing')).to.equal('#nothing: docs/gitops.md has no such heading');
    expect(faultOf(page, '#the-platform-itself')).to.equal(undefined);
  });

  it('reach every page of docs/ from the README, some over others', () => {
    const seen = new Set([join(ROOT, 'README.md')]);
    for (const page of seen)
      for (const link of linksOf(page)) {
        const target = resolve(dirname(page), link.split('#')[0] ?? '');
        if (PAGES.includes(target)) seen.add(target);
      }
    const pages = PAGES.filter((page) => dirname(page) === DOCS);
    expect(pages.filter((page) => !seen.has(page)).map((page) => relative(ROOT, page))).to.deep.equal([]);
  });
});
