import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { exceedsBounds } from '../../../../../core/ingestion/mapping/json-bounds.ts';
import { mapSteps } from '../../../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../../../core/ingestion/mapping/read-payload.ts';
import { VENDORS } from '../../../../../core/ingestion/vendors/vendors.ts';
import type { Mapping } from '../../../../../core/ingestion/vendors/template.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { compiledMapping } from '../../../../support/compiled-mapping.ts';

const MIB = 1_048_576;
/** Three times the bound of ingestion.md §3: the machine may do other things as well. */
const MOST_CPU_MS = 150;

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** As many parts as fit into 1 MiB. */
function filled(part: string, head: string, tail: string): string {
  const count = Math.floor((MIB - head.length - tail.length) / (part.length + 1));
  return `${head}${Array.from({ length: count }, () => part).join(',')}${tail}`;
}

const names = (name: (index: number) => string): string =>
  `{${Array.from({ length: 80_000 }, (_, index) => `"${name(index)}":1`).join(',')}}`;

const BASE = { kind: 'alert', statuses: {}, otherStatus: 'info', severities: {}, otherSeverity: 'info' } as const;

/** A mapping of text alone, with some fields. */
const mappingOf = (fields: Partial<Mapping['fields']>, items?: string): Mapping => ({
  ...BASE,
  ...(items === undefined ? {} : { items }),
  fields: { status: ['"info"'], title: ['"t"'], ...fields },
});

describe('a body of 1 MiB', () => {
  const BODIES: readonly [why: string, body: string, parser: 'json' | 'form', reason: string | undefined][] = [
    ['numbers after one that no double holds', filled('0', '[1234567890123456789,', ']'), 'json', 'limits'],
    ['empty objects', filled('{}', '[', ']'), 'json', 'limits'],
    ['names', names((index) => `k${index}`), 'json', 'limits'],
    ['names with escapes', names((index) => String.raw`\u0061${index}`), 'json', 'limits'],
    ['levels', '['.repeat(MIB), 'json', 'limits'],
    ['levels that are closed', `${'{"a":'.repeat(MIB / 8)}1${'}'.repeat(MIB / 8)}`, 'json', 'limits'],
    ['one text', `{"a":"${'x'.repeat(MIB)}"}`, 'json', undefined],
    ['one text of escapes', `{"a":"${String.raw`\n`.repeat(MIB / 2)}"}`, 'json', undefined],
    ['one name of escapes', `{"${String.raw`\\`.repeat(MIB / 2)}":1}`, 'json', undefined],
    ['24 000 numbers that no double holds', `[${'12345678901234567890,'.repeat(24_000)}1]`, 'json', undefined],
    ['pluses of a form', `a=${'+'.repeat(MIB)}`, 'form', undefined],
    ['escapes of a form', `a=${'%41'.repeat(MIB / 3)}`, 'form', undefined],
  ];
  for (const [why, body, parser, reason] of BODIES)
    it(`of ${why} holds the thread for a bounded time`, () => {
      const bytes = encodeUtf8(body);
      let found: string | undefined = 'not read';
      const taken = cpuMs(() => {
        const read = readPayload(bytes, parser);
        found = read.ok ? undefined : read.deadLetter.reason;
      });
      expect(found).to.equal(reason);
      expect(taken).to.be.at.most(MOST_CPU_MS);
    });

  const numbers = `[${'1,'.repeat(24_000)}1]`;
  const MAPPINGS: readonly [why: string, mapping: Mapping, body: string, events: number][] = [
    ['a loop over 24 000 numbers', mappingOf({}, 'payload.a.filter(x, x == 2 || x == 1)'), `{"a":${numbers}}`, 500],
    [
      'the whole payload in each field',
      mappingOf({ labels: ['payload'], description: ['payload'], names: ['payload'] }),
      `{"a":${numbers}}`,
      1,
    ],
    [
      'the whole payload in each item',
      mappingOf({ labels: ['{"a": payload.b}'] }, 'payload.a'),
      `{"a":${numbers},"b":[[1]]}`,
      500,
    ],
    [
      '400 alerts with many labels',
      VENDORS.grafana.mapping,
      JSON.stringify({
        alerts: Array.from({ length: 400 }, () => ({
          status: 'firing',
          annotations: { summary: 's' },
          labels: {
            severity: 'high',
            ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`l${at}`, 'x'.repeat(300)])),
          },
        })),
      }),
      400,
    ],
  ];
  for (const [why, mapping, body, events] of MAPPINGS)
    it(`is mapped in steps of a bounded time: ${why}`, () => {
      const read = readPayload(encodeUtf8(body), 'json');
      if (!read.ok) throw new Error(read.deadLetter.reason);
      const input = { payload: read.payload, headers: {}, bodyDigest: '', digest: sha256Hex, most: 500 };
      const steps = mapSteps(compiledMapping(mapping), input);
      let [most, step] = [0, steps.next()];
      while (step.done !== true)
        most = Math.max(
          most,
          cpuMs(() => {
            step = steps.next();
          }),
        );
      expect(step.value).to.have.nested.property('events.length', events);
      expect(most).to.be.at.most(MOST_CPU_MS);
    });
});

interface Size {
  readonly depth: number;
  readonly values: number;
  readonly keys: number;
}

function sizeOf(value: unknown): Size {
  const ownNames = isJsonObject(value) ? Object.keys(value).length : 0;
  const members: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  const sizes = members.map(sizeOf);
  return {
    depth: typeof value === 'object' && value !== null ? 1 + Math.max(0, ...sizes.map(({ depth }) => depth)) : 0,
    values: sizes.reduce((sum, { values }) => sum + values, 1),
    keys: sizes.reduce((sum, { keys }) => sum + keys, ownNames),
  };
}

describe('the bounds of JSON by its punctuation', () => {
  it('never refuse what is within them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value, undefined, 1);
        const { depth, values, keys } = sizeOf(value);
        expect(exceedsBounds(encodeUtf8(text), { depth, values, keys })).to.equal(false);
        if (keys > 0) expect(exceedsBounds(encodeUtf8(text), { depth, values, keys: keys - 1 })).to.equal(true);
      }),
    );
  });
});
