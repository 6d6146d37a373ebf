import { expect } from 'chai';
import type { LoaderReport } from '../../../../core/loader/loader-report.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { createLoaderReports, type LoaderReports } from '../../../../operator/loader/loader-reports.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';

const POD: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
const report = (file: string, rest: Partial<LoaderReport> = {}): LoaderReport => ({
  file,
  code: 'invalid-yaml',
  severity: 'error',
  pointer: '/a',
  detail: 'Write b.',
  ...rest,
});

describe('createLoaderReports', () => {
  let notes: string[];
  let logger: ReturnType<typeof recordingLogger>;
  let reports: LoaderReports;
  let target: () => Promise<KubeObject | undefined>;
  const { signal } = new AbortController();

  beforeEach(() => {
    notes = [];
    logger = recordingLogger();
    target = () => Promise.resolve(POD);
    const record = (_: KubeObject, events: readonly { readonly note: string }[]): void =>
      void notes.push(...events.map(({ note }) => note));
    reports = createLoaderReports({ recorder: { record }, logger, reportOn: () => target() });
  });

  it('tells what is new, once, and again when it comes back', async () => {
    await reports.show([report('a.yaml')], signal);
    await reports.show([report('a.yaml'), report('b.yaml', { line: 3 })], signal);
    await reports.show([], signal);
    await reports.show([report('a.yaml')], signal);
    expect(notes).to.deep.equal(['a.yaml /a: Write b.', 'b.yaml:3 /a: Write b.', 'a.yaml /a: Write b.']);
    expect(logger.lines.map(({ level, fields }) => [level, fields['file']])).to.deep.equal([
      ['error', 'a.yaml'],
      ['error', 'b.yaml'],
      ['error', 'a.yaml'],
    ]);
  });

  it('writes warnings to the log only', async () => {
    await reports.show([report('a.yaml', { severity: 'warning' })], signal);
    expect([notes, logger.lines.map(({ level }) => level)]).to.deep.equal([[], ['warn']]);
  });

  it('makes at most 20 Events of at most 1024 characters a scan', async () => {
    const many = Array.from({ length: 30 }, (_, index) => report(`${index}.yaml`, { detail: 'x'.repeat(2000) }));
    await reports.show(many, signal);
    expect(notes.map(({ length }) => length)).to.deep.equal(Array.from({ length: 20 }, () => 1024));
    expect(logger.lines).to.have.length(30);
  });

  it('goes on when there is nothing that an Event could hang on', async () => {
    target = () => Promise.resolve(undefined);
    await reports.show([report('a.yaml')], signal);
    target = () => Promise.reject(new Error('away'));
    await reports.show([report('b.yaml')], signal);
    expect(notes).to.deep.equal([]);
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['error', 'error', 'warn']);
  });
});
