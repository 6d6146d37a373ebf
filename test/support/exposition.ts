import { expect } from 'chai';

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/gy;

const numberOf = (text: string): number => (text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text));

/** Strict parser of the text format: every line is a comment or a sample, each family once, each series once. */
export function readText(text: string): readonly Sample[] {
  expect(text.endsWith('\n')).to.equal(true);
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.split('\n').filter((part) => part !== '')) {
    const comment = /^# (HELP|TYPE) (\S+)/.exec(line);
    const sample = LINE.exec(line);
    const key = comment ? comment[0] : `${sample?.[1]}{${sample?.[2]}`;
    expect(seen.has(key), line).to.equal(false);
    seen.add(key);
    if (comment) continue;
    const [, name = '', inner = '', value = ''] = sample ?? [];
    expect(name, line).to.not.equal('');
    const labels = [...inner.matchAll(LABEL)];
    expect(labels.map((match) => match[0]).join(''), line).to.equal(inner);
    samples.push({
      name,
      labels: Object.fromEntries(labels.map(([, label = '', text2 = '']) => [label, text2])),
      value: numberOf(value),
    });
  }
  return samples;
}

export const named = (samples: readonly Sample[], name: string): readonly Sample[] =>
  samples.filter((sample) => sample.name === name);
