import { ATTEMPT_REASONS } from '../../core/attempts/reasons.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { code, prose } from './reference.ts';

const PATH = 'docs/reference/failure-reasons.md';

const INTRODUCTION = `# Why an attempt failed

A run that fails is a problem with \`run.attempts\`. Each attempt that failed has a \`reason\` of this list, and a \`detail\`
that names the place, the type or the limit: \`output "ts": /body/ts is a number, string declared\`. A detail never holds
a value of the body, and known forms of your secrets are replaced.

You find both in the problem, in what \`orb run\` prints, in the line \`run\` of the log beside \`run_id\` and \`receipt_id\`,
and as the last failure of each provider in \`orb status ORB_ID\` and \`GET /providers/{orb_id}/status\`. A receipt holds
neither, and nor does the ledger: the answer that is kept under an \`Idempotency-Key\` has no reasons. Reasons are public: a
reason may be added, and none gets another meaning.

| Reason | Meaning | What to do |
| --- | --- | --- |
`;

/** The reference of the reasons of failed attempts, from their one list in core. */
export async function failureReasonArtefacts(root: string): Promise<readonly Artefact[]> {
  const rows = Object.entries(ATTEMPT_REASONS).map(
    ([name, { says, next }]) => `| ${code(name)} | ${prose(says)} | ${prose(next)} |\n`,
  );
  return [{ path: PATH, text: await formatted(root, PATH, `${INTRODUCTION}${rows.join('')}`) }];
}
