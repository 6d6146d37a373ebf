import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { verbs } from '../../../cli/verbs.ts';
import { alertNames, readAlerts } from '../../support/alerts.ts';
import { exposedMetrics } from '../../support/exposed-metrics.ts';
import { seriesIn } from '../../support/promql-names.ts';

const PAGES = 'docs/runbooks';
const SECTIONS = ['Meaning', 'Impact', 'Diagnosis', 'Mitigation'];
/** The platform does not expose these: the kubelet does. */
const OF_OTHERS = ['kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes'];
const ORB_COMMAND = /(?:kubectl |`)orb ([^`\n|]+)/g;
const KUBECTL = ['-n', 'NAME', '--kubeconfig'];

const pageOf = (name: string): string => readFileSync(join(PAGES, `${name}.md`), 'utf8');

/** What is wrong with a command line of `orb`; undefined: nothing. */
async function faultOf(line: string): Promise<string | undefined> {
  const words = line.trim().split(/\s+/);
  const entry = verbs.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (entry === undefined) return `no such verb: ${line}`;
  const verb = await entry.load();
  const rest = words.slice(entry.name.split(' ').length);
  const flags = rest.filter((word) => word.startsWith('-') && !KUBECTL.includes(word));
  const unknown = flags.find((flag) => !verb.flags.some(({ name }) => `--${name}` === flag));
  const values = flags.filter((flag) =>
    verb.flags.some(({ name, value }) => `--${name}` === flag && value !== undefined),
  );
  const count = rest.length - flags.length - values.length;
  const [least, most] = verb.count;
  if (unknown !== undefined) return `${entry.name} has no ${unknown}`;
  return count < least || count > most ? `${entry.name} takes ${least} to ${most} arguments: ${line}` : undefined;
}

describe('alerts of the chart', () => {
  it('read only series that operator, API, prober or kubelet have', async () => {
    const exposed = await exposedMetrics();
    const foreign = readAlerts().flatMap(({ name, expr }) =>
      seriesIn(expr)
        .filter((series) => !exposed.has(series) && !OF_OTHERS.includes(series))
        .map((series) => `${name}: ${series}`),
    );
    expect(foreign).to.deep.equal([]);
  });

  it('read something each', () => {
    expect(readAlerts().filter(({ expr }) => seriesIn(expr).length === 0)).to.deep.equal([]);
  });

  it('have a severity, a summary, a description and the address of their page', () => {
    for (const { name, labels, annotations } of readAlerts()) {
      expect(labels['severity'], name).to.be.oneOf(['critical', 'warning']);
      expect(annotations['summary'], name).to.be.a('string').with.length.within(10, 120);
      expect(annotations['description'], name).to.be.a('string').with.length.within(40, 250);
      expect(annotations['runbook_url'], name).to.equal(`${PAGES}/${name}.md`);
    }
  });

  it('have a page each, and every page an alert', () => {
    const pages = readdirSync(PAGES).map((file) => file.replace(/\.md$/, ''));
    expect(pages.toSorted()).to.deep.equal(alertNames().toSorted());
  });
});

describe('runbooks', () => {
  it('stand in the table of docs/monitoring.md, with their severity', () => {
    const rows = readFileSync('docs/monitoring.md', 'utf8').matchAll(/^\| \[(\w+)\]\(runbooks\/\1\.md\) +\| (\w+) /gm);
    const reported = [...rows].map(([, name, severity]) => `${name} ${severity}`);
    expect(reported).to.deep.equal(readAlerts().map(({ name, labels }) => `${name} ${labels['severity']}`));
  });

  for (const { name, labels } of readAlerts())
    it(`${name} says what it means, what it does, how to look and what to do`, () => {
      const page = pageOf(name);
      expect(page.startsWith(`# ${name}\n\nSeverity: ${labels['severity']}.`), 'head').to.equal(true);
      const heads = [...page.matchAll(/^## (.+)$/gm)].map(([, head]) => head);
      expect(heads).to.deep.equal(SECTIONS);
      expect(page).to.match(/```sh\n(?:kubectl [^\n]+\n)+```/);
      // `nameOverride` changes this label: part-of stays.
      expect(page).to.not.include('app.kubernetes.io/name=');
    });

  it('name only commands of orb that there are', async () => {
    const lines = alertNames().flatMap((name) => [...pageOf(name).matchAll(ORB_COMMAND)].map(([, line = '']) => line));
    expect(lines.length).to.be.above(10);
    expect((await Promise.all(lines.map(faultOf))).filter((fault) => fault !== undefined)).to.deep.equal([]);
  });

  it('would find a command that there is not', async () => {
    expect(await faultOf('swap ORB')).to.include('takes 2 to 2');
    expect(await faultOf('status ORB --nope')).to.include('has no --nope');
    expect(await faultOf('fly ORB')).to.include('no such verb');
  });
});

describe('seriesIn', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['a function and a range', 'rate(a_total[5m])', ['a_total']],
    ['texts of matchers', 'a{b="c_total",d=~"e"}', ['a']],
    ['labels of a grouping', 'sum by (x, y) (a) / on (x) group_left (z) b', ['a', 'b']],
    ['a grouping without labels', 'a / ignoring (x) group_left sum(b)', ['a', 'b']],
    ['operators, numbers and time()', 'time() - max(a) > 14 * 86400 and b unless c', ['a', 'b', 'c']],
    ['a recording rule and an offset', 'increase(orb:x:p95[2m] offset 2m) or absent(a)', ['orb:x:p95', 'a']],
  ];
  for (const [why, promql, names] of rows)
    it(`leaves out ${why}`, () => {
      expect(seriesIn(promql)).to.deep.equal(names);
    });
});
