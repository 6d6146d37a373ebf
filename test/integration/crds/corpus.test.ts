import { expect } from 'chai';
import fc from 'fast-check';
import { CORE_ONLY, SERVER_ONLY, explanation, type Difference } from '../../support/crds/differences.ts';
import { EDGE_ROWS, type Accepted } from '../../support/crds/edge-rows.ts';
import { POLICY_ROWS } from '../../support/crds/policy-rows.ts';
import { SOURCE_ROWS } from '../../support/crds/source-rows.ts';
import { sourceDocuments } from '../../support/crds/source-values.ts';
import { documents, policyDocuments } from '../../support/crds/schema-values.ts';
import { coreVerdict, openJudge, type ServerJudge, type Verdict } from '../../support/crds/verdicts.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';

// The whole corpus: ORB_CORPUS_SIZE=100000 npm run test:integration. About 300 documents a second.
const SIZE = Number(process.env['ORB_CORPUS_SIZE'] ?? 1500);
const OTHERS = Math.max(1000, SIZE / 10);
const SEED = Number(process.env['ORB_CORPUS_SEED'] ?? 20_261_121);
const BATCH = 8;
const ROWS = [...EDGE_ROWS, ...POLICY_ROWS, ...SOURCE_ROWS];

interface Judged {
  readonly text: string;
  readonly core: Verdict;
  readonly server: Verdict;
}

const kindOf = (text: string): string => /"kind":"(\w+)"/.exec(text)?.[1] ?? '';

async function judged(judge: ServerJudge, texts: readonly string[]): Promise<readonly Judged[]> {
  const all: Judged[] = [];
  for (let first = 0; first < texts.length; first += BATCH) {
    const batch = texts.slice(first, first + BATCH).map(async (text) => ({
      text,
      core: coreVerdict(text),
      server: await judge.verdict(kindOf(text), text),
    }));
    all.push(...(await Promise.all(batch)));
  }
  return all;
}

const acceptedBy = ({ core, server }: Judged): Accepted => {
  if (core.accepted) return server.accepted ? 'both' : 'core';
  return server.accepted ? 'server' : 'nobody';
};

/** What one side refuses alone, and no entry of the table explains. */
const unexplained = (all: readonly Judged[], by: Accepted, table: readonly Difference[]): readonly string[] =>
  all
    .filter((item) => acceptedBy(item) === by)
    .flatMap(({ text, core, server }) => {
      const errors = by === 'server' ? core.errors : server.errors;
      const open = errors.filter((error) => explanation(table, error) === undefined);
      return open.length === 0 && errors.length > 0 ? [] : [`${open.join('; ')} ← ${text.slice(0, 400)}`];
    });

describe('core and the API server, asked about the same document', function suite() {
  this.timeout(300_000);
  let judge: ServerJudge | undefined;
  const ask = (texts: readonly string[]): Promise<readonly Judged[]> => {
    if (judge === undefined) throw new Error('the control plane is not there');
    return judged(judge, texts);
  };

  before(async () => {
    judge = openJudge(await sharedControlPlane(), 'tenant-a');
  });
  after(() => judge?.close());

  it('say of every edge what the table says', async () => {
    const all = await ask(ROWS.map(([, text]) => text));
    const found = all.map((item, index) => {
      const errors = acceptedBy(item) === ROWS[index]?.[2] ? [] : [...item.core.errors, ...item.server.errors];
      return [ROWS[index]?.[0], acceptedBy(item), ...errors];
    });
    expect(found).to.deep.equal(ROWS.map(([what, , accepted]) => [what, accepted]));
    expect(unexplained(all, 'server', CORE_ONLY)).to.deep.equal([]);
    expect(unexplained(all, 'core', SERVER_ONLY)).to.deep.equal([]);
  });

  it('differ in each way that the table lists, and the list holds nothing that is over', async () => {
    const all = await ask(ROWS.map(([, text]) => text));
    const said = (by: Accepted): readonly string[] =>
      all
        .filter((item) => acceptedBy(item) === by)
        .flatMap(({ core, server }) => (by === 'server' ? core.errors : server.errors));
    const unused = (table: readonly Difference[], by: Accepted): readonly string[] =>
      table.filter(({ says }) => !said(by).some((text) => says.test(text))).map(({ says }) => says.source);
    expect(unused(CORE_ONLY, 'server')).to.deep.equal([]);
    expect(unused(SERVER_ONLY, 'core')).to.deep.equal([]);
  });

  it(`agree on ${SIZE} documents (seed ${SEED}), but for what the table lists`, async () => {
    const texts = fc.sample(documents, { numRuns: SIZE, seed: SEED }).map((document) => JSON.stringify(document));
    const all = await ask(texts);
    expect(unexplained(all, 'server', CORE_ONLY)).to.deep.equal([]);
    expect(unexplained(all, 'core', SERVER_ONLY)).to.deep.equal([]);
    // A corpus of refusals alone would show nothing.
    for (const kind of ['Orb', 'Orbiset', 'OrbPublication']) {
      const both = all.filter((item) => kindOf(item.text) === kind && acceptedBy(item) === 'both');
      const none = all.filter((item) => kindOf(item.text) === kind && acceptedBy(item) === 'nobody');
      expect(both.length, `${kind} accepted`).to.be.greaterThan(SIZE / 100);
      expect(none.length, `${kind} refused`).to.be.greaterThan(SIZE / 500);
    }
  });

  for (const [what, sampled] of [
    ['policies', policyDocuments],
    ['signal sources', sourceDocuments],
  ] as const)
    it(`agree on ${OTHERS} ${what} (seed ${SEED})`, async () => {
      const texts = fc.sample(sampled, { numRuns: OTHERS, seed: SEED }).map((document) => JSON.stringify(document));
      const all = await ask(texts);
      expect(unexplained(all, 'server', CORE_ONLY)).to.deep.equal([]);
      expect(unexplained(all, 'core', SERVER_ONLY)).to.deep.equal([]);
      for (const by of ['both', 'nobody'])
        expect(all.filter((item) => acceptedBy(item) === by).length, by).to.be.greaterThan(OTHERS / 20);
    });
});
