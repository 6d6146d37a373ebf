import type { Ledger } from '../../../adapters/ledger/port.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { jcs } from '../../../core/json/jcs.ts';
import { entryText } from '../../../core/log-entry/entry.ts';

type NewPublication = Parameters<Ledger['publish']>[0];
type NewEvaluation = Parameters<Ledger['evaluate']>[0];

const ORG = 'bench';
/** Publications that wait for one commit. */
const AT_ONCE = 500;

/** `bench.orb-00042@1.0.0` */
export const orbIdOf = (index: number): string => `${ORG}.orb-${String(index).padStart(5, '0')}@1.0.0`;

const manifestOf = (index: number): string =>
  jcs({
    orb_id: orbIdOf(index),
    provider: 'mock',
    description: `Sends message ${index} to the mock provider, and returns its number and its state.`,
    capabilities: ['http.call'],
    inputs: { text: { type: 'string', required: true } },
    outputs: { message_id: { type: 'string' } },
    execution: { type: 'http', method: 'POST', url: 'https://mock.example/v1/send', body_template: '{"text":"x"}' },
  });

/** Digest of its manifest. */
export const digestOf = (index: number): string => digestOfText(manifestOf(index));

/** A version with tests that give bronze; the first one claims the organisation. */
function publicationOf(index: number, now: number): NewPublication {
  const [orbId, manifestJcs, at] = [orbIdOf(index), manifestOf(index), new Date(now).toISOString()];
  const manifestDigest = digestOfText(manifestJcs);
  const [sha256, tests] = [manifestDigest.slice('sha256:'.length), { required: 3, passed: 3 }];
  const version = { orb_id: orbId, manifest_digest: manifestDigest };
  const claim = index === 0;
  return {
    orbId,
    namespace: 'default',
    org: ORG,
    manifestDigest,
    manifestJcs,
    publishedAt: now,
    report: { sha256, report: '{}', suites: '[]', statement: 'e30.e30.e30' },
    claim: claim ? { proof: 'operator', state: 'verified', since: now, json: '{}' } : null,
    entries: [
      ...(claim ? [entryText({ kind: 'org', org: ORG, event: 'verified', proof: 'operator', at })] : []),
      entryText({ kind: 'publish', ...version, org: ORG, ontology: '1.0.0', at }),
      entryText({
        kind: 'test_report',
        ...version,
        ...tests,
        suite_digest: null,
        report_sha256: sha256,
        provenance: 'receipted',
        tested_at: at,
        at,
      }),
    ],
    publishEntry: claim ? 1 : 0,
    reportEntry: claim ? 2 : 1,
  };
}

/** Bronze, without the entries and the certificate that the platform would write. */
function evaluationOf(index: number, treeSize: number, now: number): NewEvaluation {
  const computedAt = new Date(now).toISOString();
  return {
    orbId: orbIdOf(index),
    epoch: 1,
    treeSize,
    asOf: computedAt.slice(0, 10),
    held: JSON.stringify({
      tier: 'bronze',
      status: 'stable',
      since: now,
      wasCertified: true,
      reachedSince: { bronze: now },
      atRiskSince: null,
    }),
    profile: JSON.stringify({
      computed_at: computedAt,
      certification_tier: 'bronze',
      tier_status: 'stable',
      reputation_score: 40,
      score_bp: 4000,
      confidence: 'provisional',
    }),
    entries: [],
    certificate: null,
    revokeIndex: null,
  };
}

const inSlices = async (from: number, to: number, each: (index: number) => Promise<void>): Promise<void> => {
  for (let first = from; first < to; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, offset) => first + offset);
    await Promise.all(indexes.map(each));
  }
};

/**
 * Publishes `count` Orbs, with their objects said to be made: the platform would make them while it is measured.
 * @throws Error one of them was there before
 */
export async function publishMany(ledger: Pick<Ledger, 'publish' | 'markProjected'>, count: number): Promise<void> {
  const now = Date.now();
  await inSlices(0, count, async (index) => {
    const { kind } = await ledger.publish(publicationOf(index, now));
    if (kind !== 'published') throw new Error('an Orb of the benchmark was there before');
    await ledger.markProjected(orbIdOf(index));
  });
}

/**
 * Evaluates the published Orbs but the first. The platform evaluates that one, which then has a certificate. It would
 * evaluate the others too, but that takes a while: each waits for a checkpoint.
 * @throws Error one of them was evaluated before
 */
export async function evaluateMany(ledger: Pick<Ledger, 'evaluate' | 'logSize'>, count: number): Promise<void> {
  const [now, size] = [Date.now(), await ledger.logSize()];
  await inSlices(1, count, async (index) => {
    const { kind } = await ledger.evaluate(evaluationOf(index, size, now));
    if (kind !== 'done') throw new Error('an Orb of the benchmark was evaluated before');
  });
}
