import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { openDataLedger } from '../../support/data-ledger.ts';
import { policyObject } from '../../support/policies.ts';

/** The input `way` of runs that the policies deny. */
export const DENIED = 'denied';
/** The way to send an answer that the policies keep back. */
export const KEPT_BACK = 'type';

const INPUTS = { way: 'string', spelling: 'string', status: 'string' } as const;

/** Reads what the caller sent, so that traces show it. */
const SPELLED = '(!has(inputs.spelling) || inputs.spelling != "nothing")';

const telling = (
  phase: 'PreFlight' | 'Request' | 'Response',
  when: string,
  messageExpression: string,
  mode: 'Audit' | 'Enforce' = 'Audit',
): OrbPolicySpec => ({
  mode,
  match: { phases: [phase] },
  inputFacts: INPUTS,
  rules: [{ name: 'tells', effect: 'deny', when, messageExpression }],
});

const POLICIES: Readonly<Record<string, OrbPolicySpec>> = {
  'tells-inputs': telling('PreFlight', SPELLED, '"said " + inputs.way + " " + inputs.spelling + " " + inputs.status'),
  'tells-request': telling(
    'Request',
    'request.path != ""',
    '"to " + request.host + request.path + " " + request.query_names[0]',
  ),
  'tells-answer': telling('Response', 'response.content_type != "none"', '"got " + response.content_type'),
  'denies-inputs': telling(
    'PreFlight',
    `has(inputs.way) && inputs.way == "${DENIED}" && ${SPELLED}`,
    '"not " + inputs.spelling',
    'Enforce',
  ),
  'denies-answers': telling(
    'Response',
    `has(inputs.way) && inputs.way == "${KEPT_BACK}" && response.content_type != "none"`,
    '"not " + response.content_type',
    'Enforce',
  ),
};

/** Denies every run for what its caller sent, and says it. */
export const TELLING_DRAFT = {
  metadata: { name: 'tells-draft' },
  spec: telling('PreFlight', SPELLED, '"draft " + inputs.spelling', 'Enforce'),
};

/** Policies of every phase that take what they see into their messages: files by name. */
export const canaryPolicies = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(POLICIES).map(([name, spec]) => [`${name}.json`, JSON.stringify(policyObject(name, spec))]),
  );

/**
 * What the ledger of a stopped platform keeps of decisions, as its readers see it: in the file it is packed.
 * @param data its `--data` folder
 */
export async function keptDecisions(data: string): Promise<readonly (readonly [string, string])[]> {
  const { ledger } = await openDataLedger(data);
  const texts: (readonly [string, string])[] = [];
  try {
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await ledger.decisions('default', { limit: 200, ...(cursor === '' ? {} : { cursor }) });
      for (const { decisionId, runId, json } of page.items) {
        texts.push([`decision ${decisionId}`, json]);
        const facts = await ledger.runFacts('default', runId);
        texts.push(...facts.map(({ phase, facts: text }) => [`facts of ${phase} of ${runId}`, text] as const));
      }
      cursor = page.nextCursor;
    }
    return texts;
  } finally {
    await ledger.close();
  }
}
