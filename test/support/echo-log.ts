import type { LogEntry } from '../../core/log-entry/entry.ts';

/** The Orb of the log, its digest, and the day of the evaluation. */
export const ECHO = 'acme.echo@1.2.0';
export const ECHO_DIGEST = 'sha256:12';
export const ECHO_DAY = '2026-11-20';

const AT = '2026-09-01T10:00:00.000Z';
const about = { orb_id: ECHO, manifest_digest: ECHO_DIGEST, at: AT };

const receipt = (number: number, some: Partial<LogEntry & { readonly kind: 'receipt' }> = {}): LogEntry => ({
  kind: 'receipt',
  receipt_id: `rcpt_${number}`,
  orb_id: number % 3 === 0 ? 'acme.other@1.0.0' : ECHO,
  manifest_digest: number % 3 === 0 ? 'sha256:99' : ECHO_DIGEST,
  caller_tag: `ct_${number % 7}`,
  self: false,
  outcome: number % 50 === 1 ? 'timeout' : 'success',
  duration_ms: number % 600,
  slo_ms: 580,
  finished_at: `2026-11-${String(1 + (number % 19)).padStart(2, '0')}T10:00:00.000Z`,
  jws_sha256: 'aa',
  ...some,
});

/** A log of 700 entries: its Orb is published and tested, and a violation is retracted in a later bundle. */
export const echoLog: readonly LogEntry[] = [
  { kind: 'org', org: 'acme', event: 'verified', proof: 'dns', at: AT },
  { kind: 'publish', org: 'acme', ontology: 'orb-ontology/1.0.0', ...about },
  {
    kind: 'test_report',
    suite_digest: 'sha256:aa',
    report_sha256: 'aa',
    required: 4,
    passed: 4,
    provenance: 'receipted',
    tested_at: '2026-11-15T10:00:00.000Z',
    ...about,
  },
  { kind: 'violation', rule: 'no-http', severity: 'high', receipt_id: null, ...about },
  ...Array.from({ length: 596 }, (_, number) => receipt(number)),
  { kind: 'retraction', index: 3, reason: 'dispute', at: '2026-11-19T10:00:00.000Z' },
  { kind: 'retraction', index: 300, reason: 'dispute', at: '2026-11-19T10:00:00.000Z' },
  { kind: 'retraction', index: 580, reason: 'dispute', at: '2026-11-19T10:00:00.000Z' },
  ...Array.from({ length: 97 }, (_, number) => receipt(1000 + number)),
];
