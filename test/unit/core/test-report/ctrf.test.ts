import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import schema from '../../../../core/test-report/ctrf.schema.json' with { type: 'json' };
import { schemaFaults } from '../../../../core/suite/schema-faults.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { listAt, objectAt } from '../../../../core/json/members.ts';
import { readReport, readReportSteps } from '../../../../core/test-report/ctrf.ts';
import { writeReport } from '../../../../core/test-report/write-report.ts';
import { inPieces } from '../../../support/pieces.ts';
import { jsonOf } from '../../../support/suites.ts';

const ajv = new Ajv({ strict: false, ownProperties: true, formats: { uuid: true, 'date-time': true } });
const check = ajv.compile(schema);
const DIGEST = `sha256:${'a'.repeat(64)}`;

const written = writeReport(
  [
    { name: 'a/b', suite: 'a', mode: 'mock', required: true, status: 'passed', durationMs: 3, faults: [] },
    {
      name: 'a/c',
      suite: 'a',
      mode: 'live',
      required: false,
      status: 'skipped',
      durationMs: 0,
      faults: ['no --orbiset'],
    },
  ],
  {
    orb: { orb_id: 'acme.echo@1.0.0', manifest_digest: DIGEST, suite_digest: DIGEST },
    start: 1_795_176_000_000,
    stop: 1_795_176_001_000,
    version: '1.2.3',
    uuid: () => '019339a1-8000-7000-8000-000000000001',
  },
);

/** Documents near a report: one member is replaced, at any depth. */
const near = fc.tuple(fc.jsonValue({ maxDepth: 2 }), fc.nat(60)).map(([value, place]) => {
  let left = place;
  const walk = (here: unknown): unknown => {
    left -= 1;
    if (left === 0) return value;
    if (Array.isArray(here)) return here.map(walk);
    return isJsonObject(here)
      ? Object.fromEntries(Object.entries(here).map(([name, inner]) => [name, walk(inner)]))
      : here;
  };
  return walk(written);
});

describe('the pinned CTRF schema', () => {
  it('accepts what is written', () => {
    expect([check(written), readReport(written, '').findings]).to.deep.equal([true, []]);
  });

  it('counts every status, and each suite once', () => {
    const read = readReport(written, '');
    const counts = read.ok ? read.value.results.summary : undefined;
    expect(counts).to.deep.include({ tests: 2, passed: 1, failed: 0, skipped: 1, pending: 0, other: 0, suites: 1 });
  });

  it('is compared in pieces, and a fault of its last test is found', () => {
    const results = objectAt(written, 'results');
    const [test = null, ...rest] = listAt(results, 'tests');
    const report = (count: number, last: string): JsonObject => {
      const tests = Array.from({ length: count }, () => test);
      tests[count - 1] = { ...(isJsonObject(test) ? test : {}), status: last };
      return { ...(isJsonObject(written) ? written : {}), results: { ...results, tests: [...tests, ...rest] } };
    };
    const good = inPieces(readReportSteps(report(1500, 'passed'), '/r'));
    expect([good.pieces > 10, good.value.findings]).to.deep.equal([true, []]);
    const wrong = inPieces(readReportSteps(report(1500, 'gone'), '/r'));
    expect(wrong.value.findings.map(({ pointer }) => pointer)).to.deep.equal(['/r/results/tests/1499/status']);
    expect(inPieces(readReportSteps(jsonOf(written), '')).pieces).to.equal(2);
  });

  it('is read as Ajv reads it', () => {
    fc.assert(
      fc.property(near, (document) => {
        const text = JSON.stringify(document);
        fc.pre(text !== undefined && !/\d{16}|-0\b|\\ud/i.test(text));
        const value = jsonOf(document);
        const formats = schemaFaults(value, schema).filter(({ keyword }) => keyword !== 'format');
        expect(formats.length === 0).to.equal(check(value));
      }),
    );
  });

  it('has only closed objects, except where a document may hold what it likes', () => {
    const open: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (!isJsonObject(value)) return;
      if (value['type'] === 'object' && value['additionalProperties'] !== false)
        open.push(path.split('/').at(-1) ?? '');
      for (const [name, inner] of Object.entries(value)) walk(inner, `${path}/${name}`);
    };
    walk(schema, '');
    expect([...new Set(open)].toSorted()).to.deep.equal(['extra', 'parameters']);
  });
});
