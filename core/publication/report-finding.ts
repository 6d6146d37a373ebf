import type { Finding } from '../manifest/finding.ts';

/** A finding as the report of a publication has it (trust.md §8). */
export interface ReportedFinding {
  readonly severity: Finding['severity'];
  readonly code: string;
  /** RFC 6901 JSON Pointer into the body of the request. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly rule_url: string;
}

/** Where a code is explained. */
export const ruleUrl = (code: string): string => `https://orbs.dev/problems/${code}`;

/** @param base pointer of the manifest in the body, for example `/manifest` */
export const reportFinding = (
  { severity, code, pointer, detail, suggestion }: Finding,
  base: '' | '/manifest',
): ReportedFinding => ({
  severity,
  code,
  pointer: `${base}${pointer}`,
  message: detail,
  ...(suggestion === undefined ? {} : { suggestion }),
  rule_url: ruleUrl(code),
});
