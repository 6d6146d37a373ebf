import { expect } from 'chai';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchorOf, headingsOf, linksOf } from '../../support/docs/markdown.ts';
import { readText, ROOT, textFiles } from '../../support/docs/repository.ts';

const FILES = textFiles();
const PAGES: readonly string[] = FILES.filter((path) => path.endsWith('.md'));
const anchorsOf = (path: string): readonly string[] => headingsOf(readText(path)).map((heading) => anchorOf(heading));

/** Where a link of a page leads, from the root of the repository. */
const targetOf = (page: string, link: string): string => {
  const [path = ''] = link.split('#');
  return path === '' ? page : join(dirname(page), path);
};

/** Why a link of a page leads nowhere; undefined when it doesn't. */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [, anchor = ''] = link.split('#');
  const target = targetOf(page, link);
  if (!existsSync(join(ROOT, target))) return `${link}: there is no such file`;
  if (anchor === '' || statSync(join(ROOT, target)).isDirectory() || anchorsOf(target).includes(anchor))
    return undefined;
  return `${link}: ${target} has no such heading`;
}

const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
const TOP = 'adapters|api-server|charts|cli|core|crds|docs|hack|image|manifests|operator|standalone|test';
/** A file or folder from the root of the repository, without placeholders such as `crds/NAME.ts`. */
const FILE = new RegExp(`(?<![\\w./-])(?:${TOP})/[a-z\\d./-]+\\.(?:ts|js|sh|ya?ml|tpl|sql|json|md)\\b`, 'g');
const FOLDER = new RegExp(`(?<=\`)(?:${TOP})/[a-z\\d/-]+(?=\`)`, 'g');
/** Made when a test runs, and not kept. */
const RESULTS = /\/results$/;

/** Files and folders that a page, or a comment of code, names. */
function placesNamedIn(path: string): readonly string[] {
  const text = readText(path);
  const prose = path.endsWith('.md') ? text : (text.match(COMMENT) ?? []).join('\n');
  const found = [...prose.matchAll(FILE), ...prose.matchAll(FOLDER)].map(([place]) => place);
  return found.filter((place) => !RESULTS.test(place));
}

describe('links inside the docs', () => {
  for (const page of PAGES)
    it(`of ${page} lead somewhere`, () => {
      expect(linksOf(readText(page)).flatMap((link) => faultOf(page, link) ?? [])).to.deep.equal([]);
    });

  it('are found where they lead nowhere', () => {
    const page = 'docs/gitops.md';
    expect(faultOf(page, 'nothing.md')).to.equal('nothing.md: there is no such file');
    expect(faultOf(page, '#nothing')).to.equal('#nothing: docs/gitops.md has no such heading');
    expect(faultOf(page, '#the-platform-itself')).to.equal(undefined);
  });

  it('are no code', () => {
    expect(linksOf('[a](b.md) `[c](d.md)` and\n\n```md\n[e](f.md)\n```\n')).to.deep.equal(['b.md']);
  });

  it('reach every page of docs/ from the README, some over others', () => {
    const seen = new Set(['README.md']);
    for (const page of seen)
      for (const link of linksOf(readText(page))) {
        const target = targetOf(page, link);
        if (PAGES.includes(target)) seen.add(target);
      }
    const pages = PAGES.filter((page) => ['docs', 'docs/design'].includes(dirname(page)));
    expect(pages.filter((page) => !seen.has(page))).to.deep.equal([]);
  });

  it('in pages and comments name files and folders that are there', () => {
    const named = FILES.filter((path) => !path.startsWith('test/vectors/')).flatMap((path) =>
      placesNamedIn(path).map((place) => ({ path, place })),
    );
    expect(named.filter(({ place }) => !existsSync(join(ROOT, place)))).to.deep.equal([]);
    expect(named.length).to.be.greaterThan(50);
  });

  it('in code, messages and charts name pages that are there', () => {
    const named = FILES.filter((path) => !path.startsWith('test/unit/docs/')).flatMap((path) =>
      [...readText(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => ({ path, page })),
    );
    expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).to.deep.equal([]);
    expect(named.length).to.be.greaterThan(50);
  });
});
