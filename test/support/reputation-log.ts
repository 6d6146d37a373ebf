import fc from 'fast-check';
import { entryText, type EntryOf, type LogEntry } from '../../core/log-entry/entry.ts';

const DAY_MS = 86_400_000;
/** Day of the evaluations of random logs. */
export const AS_OF = '2026-11-20';

const dayBefore = (days: number): string => new Date(Date.parse(AS_OF) - days * DAY_MS).toISOString().slice(0, 10);

/** Versions with their digests: two lines of one name, a line below 1.0.0, another name, another organisation. */
export const VERSIONS: readonly (readonly [orbId: string, digest: string])[] = [
  ['acme.echo@1.2.0', 'sha256:12'],
  ['acme.echo@1.1.0', 'sha256:11'],
  ['acme.echo@1.1.0', 'sha256:ff'],
  ['acme.echo@2.0.0', 'sha256:20'],
  ['acme.echo@0.3.1', 'sha256:03'],
  ['acme.echo@0.3.2', 'sha256:33'],
  ['acme.echo@0.4.0', 'sha256:04'],
  ['acme.other@1.2.0', 'sha256:99'],
  ['zeta.echo@1.2.0', 'sha256:77'],
];

const some = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Mostly the last months; some days are after the evaluation. */
const time = fc
  .tuple(fc.integer({ min: -3, max: 140 }), fc.integer({ min: 0, max: DAY_MS - 1 }))
  .map(([days, ms]) => `${dayBefore(days)}T${new Date(ms).toISOString().slice(11)}`);

const version = fc.oneof(
  { weight: 3, arbitrary: some(...VERSIONS.slice(0, 2)) },
  { weight: 2, arbitrary: some(...VERSIONS) },
);
const count = fc.nat(30);

const receipt: fc.Arbitrary<EntryOf<'receipt'>> = fc
  .record({
    version,
    caller_tag: some('ct_a', 'ct_b', 'ct_c', 'ct_d', 'ct_e'),
    self: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
    outcome: some(
      'success',
      'success',
      'success',
      'orb_error',
      'timeout',
      'policy_denied',
      'caller_error',
      'platform_error',
    ),
    duration_ms: some(10, 500, 501, 5000),
    finished_at: time,
  })
  .map(({ version: [orbId, digest], ...members }) => ({
    kind: 'receipt',
    receipt_id: 'rcpt_1',
    orb_id: orbId,
    manifest_digest: digest,
    slo_ms: 500,
    jws_sha256: 'aa',
    ...members,
  }));

const about = <T extends object>(
  members: fc.Arbitrary<T>,
): fc.Arbitrary<T & { orb_id: string; manifest_digest: string; at: string }> =>
  fc
    .tuple(version, time, members)
    .map(([[orbId, digest], at, rest]) => ({ ...rest, orb_id: orbId, manifest_digest: digest, at }));

const others: readonly fc.Arbitrary<LogEntry>[] = [
  about(fc.record({ kind: fc.constant('publish'), org: some('acme'), ontology: some('orb-ontology/1.0.0') })),
  about(
    fc.record({
      kind: fc.constant('test_report'),
      suite_digest: some(null, 'sha256:aa'),
      report_sha256: some('aa'),
      required: fc.nat(4),
      passed: fc.nat(4),
      provenance: some('self_reported', 'receipted', 'platform', 'independent', 'vendor'),
      tested_at: time,
    }),
  ),
  fc.record({
    kind: fc.constant('incident'),
    incident_id: some('inc_1', 'inc_2', 'inc_3'),
    orb_id: fc.oneof(
      fc.constant(null),
      version.map(([orbId]) => orbId),
    ),
    impact: some('minor', 'major', 'critical'),
    event: some('opened', 'updated', 'resolved', 'withdrawn'),
    attributed: fc.boolean(),
    at: time,
  }),
  about(
    fc.record({
      kind: fc.constant('violation'),
      rule: some('no-http'),
      severity: some('low', 'low', 'medium', 'high', 'critical'),
      receipt_id: some(null, 'rcpt_1'),
    }),
  ),
  about(fc.record({ kind: fc.constant('audit'), checked: count, invalid: some(0, 0, 0, 1) })),
  fc.record({
    kind: fc.constant('org'),
    org: some('acme', 'acme', 'zeta'),
    event: some('verified', 'verified', 'unverified', 'suspended', 'restored'),
    proof: some('dns'),
    at: time,
  }),
  about(
    fc.record({ kind: fc.constant('orb_status'), status: some('active', 'deprecated', 'suspended'), reason: some('') }),
  ).map(({ manifest_digest: _digest, ...entry }) => entry),
  fc.record({
    kind: fc.constant('receipt_private'),
    receipt_id: some('rcpt_2'),
    finished_at: time,
    jws_sha256: some('bb'),
  }),
  fc.record({ kind: fc.constant('algorithm'), id: some('orb-reputation/2'), sha256: some('cc'), at: time }),
];

/** A retraction of any index: also of entries that are not there yet, can't be retracted, or were retracted before. */
const retraction: fc.Arbitrary<EntryOf<'retraction'>> = fc.record({
  kind: fc.constant('retraction'),
  index: fc.nat(60),
  reason: some('dispute'),
  at: time,
});

/** Random logs of up to 60 entries. */
export const aLog: fc.Arbitrary<readonly LogEntry[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: receipt },
    { weight: 5, arbitrary: fc.oneof(...others) },
    { weight: 2, arbitrary: retraction },
  ),
  { maxLength: 60, size: 'max' },
);

export const textsOf = (log: readonly LogEntry[]): readonly string[] => log.map(entryText);
