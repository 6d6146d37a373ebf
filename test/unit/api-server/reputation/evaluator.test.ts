import { evaluateOnce } from '../../../support/evaluate-once.ts';
import { expect } from 'chai';
import type { DueLine } from '../../../../api-server/reputation/due-versions.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { jsonOf } from '../../../support/suites.ts';
import { at } from '../../../support/members.ts';
import { whileTimePasses } from '../../../support/while-time-passes.ts';
import { refusal } from '../../../support/refusal.ts';
import {
  anEvaluation,
  DIGEST,
  incidentEntry,
  ORB,
  publishEntry,
  testReportEntry,
} from '../../../support/reputation-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const lost = (): void => {
  throw new NotLeading();
};

/** `id` of a certificate. */
const idOf = (jwt = ''): unknown =>
  at(jsonOf(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())), 'id');

describe('Evaluator', () => {
  let market: Marketplace;
  const never = new AbortController().signal;
  beforeEach(async () => (market = await aMarketplace()));
  afterEach(() => market.close());

  const evaluate = async (epoch = 1): Promise<string> =>
    (await evaluateOnce(market.reputation.evaluator, market.clock, [ORB], epoch)).join();
  const kindsAfter = async (size: number): Promise<readonly string[]> =>
    (await market.ledger.entries(size, size + 99)).map((text) => readEntry(text)?.kind ?? 'none');
  const profile = async () => jsonOf(JSON.parse((await market.ledger.evaluation(ORB))?.profile ?? '{}'));
  const tier = async (): Promise<unknown> => at(await profile(), 'certification_tier');

  it('gives the first bronze at once, with its entry and a certificate', async () => {
    const size = await market.ledger.logSize();
    expect(await evaluate()).to.equal('done');
    expect(await tier()).to.equal('bronze');
    expect(await kindsAfter(size)).to.deep.equal(['tier_change', 'certificate']);
    expect((await market.ledger.certificate(ORB))?.revoked).to.equal(false);
  });

  it('writes no entry when nothing changed on the same day, and a new certificate on the next', async () => {
    await evaluate();
    const size = await market.ledger.logSize();
    await evaluate();
    expect(await kindsAfter(size)).to.deep.equal([]);
    await market.clock.advance(DAY_MS);
    await evaluate();
    expect(await kindsAfter(size)).to.deep.equal(['certificate']);
  });

  it('takes tier and certificate away at a cap, and needs 72 hours to give them back, with another place', async () => {
    await evaluate();
    const first = await market.ledger.certificate(ORB);
    await market.ledger.appendEntries([incidentEntry({ impact: 'critical' })]);
    await evaluate();
    expect([await tier(), (await market.ledger.certificate(ORB))?.revoked]).to.deep.equal(['uncertified', true]);
    await market.ledger.appendEntries([incidentEntry({ impact: 'critical', event: 'withdrawn' })]);
    await evaluate();
    await market.clock.advance(71 * HOUR_MS);
    await evaluate();
    expect(await tier()).to.equal('uncertified');
    await market.clock.advance(HOUR_MS);
    await evaluate();
    expect(await tier()).to.equal('bronze');
    expect((await market.ledger.certificate(ORB))?.statusIndex).to.be.greaterThan(first?.statusIndex ?? 0);
  });

  it('issues no second certificate in the second of the one before, whose id it would have', async () => {
    const { clock, reputation, ledger } = market;
    const { evaluator } = reputation;
    const [scored] = await evaluator.score([ORB]);
    if (scored === undefined) throw new Error('nothing was scored');
    const write = (): Promise<string> =>
      whileTimePasses(clock, evaluator.write(scored, { epoch: 1, signal: never, check: () => undefined }));
    expect(await write()).to.equal('done');
    const first = await ledger.certificate(ORB);
    await ledger.evaluate(anEvaluation({ revokeIndex: first?.statusIndex ?? null }));
    const size = await ledger.logSize();
    expect([await write(), await kindsAfter(size)]).to.deep.equal(['conflict', []]);
    await clock.advance(1000);
    expect(await evaluate()).to.equal('done');
    const next = await ledger.certificate(ORB);
    expect(idOf(next?.jwt))
      .to.match(/#2026-/)
      .and.to.not.equal(idOf(first?.jwt));
  });

  it('issues no certificate from a score before the suspension of the organisation, and is evaluated again', async () => {
    const { clock, reputation, ledger } = market;
    const { evaluator } = reputation;
    const [scored] = await evaluator.score([ORB]);
    if (scored === undefined) throw new Error('nothing was scored');
    await reputation.orgs.setStatus('acme', 'suspended', 'a dispute');
    const written = evaluator.write(scored, { epoch: 1, signal: never, check: () => undefined });
    expect(await whileTimePasses(clock, written)).to.equal('conflict');
    expect([await evaluate(), await tier()]).to.deep.equal(['done', 'uncertified']);
    expect(await ledger.certificate(ORB)).to.equal(undefined);
  });

  it('is at risk when its tests are too few, and falls after 7 days', async () => {
    await evaluate();
    await market.clock.advance(60_000);
    await market.ledger.appendEntries([testReportEntry({ provenance: 'self_reported' })]);
    await evaluate();
    expect([await tier(), at(await profile(), 'tier_status')]).to.deep.equal(['bronze', 'at_risk']);
    await market.clock.advance(7 * DAY_MS - 60_000);
    await evaluate();
    expect(await tier()).to.equal('bronze');
    await market.clock.advance(60_000);
    await evaluate();
    expect(await tier()).to.equal('uncertified');
  });

  it('is capped when the tests are older than 90 days', async () => {
    await evaluate();
    await market.clock.advance(90 * DAY_MS);
    await evaluate();
    expect(at(await profile(), 'caps')).to.deep.equal([]);
    await market.clock.advance(DAY_MS);
    await evaluate();
    expect([await tier(), at(await profile(), 'caps')]).to.deep.equal(['uncertified', ['tests_not_current']]);
  });

  it('gives versions that are evaluated at the same time places of their own', async () => {
    const versions: DueLine = [ORB, 'acme.echo@1.1.0', 'acme.echo@1.2.0'];
    await market.publish('1.1.0');
    await market.publish('1.2.0');
    expect(await evaluateOnce(market.reputation.evaluator, market.clock, versions)).to.deep.equal([
      'done',
      'done',
      'done',
    ]);
    const certificates = await Promise.all(versions.map((orbId) => market.ledger.certificate(orbId)));
    expect(new Set(certificates.map((certificate) => certificate?.statusIndex)).size).to.equal(3);
  });

  it('shows of two versions that were scored together what each of them earned, from one tree', async () => {
    await market.publish('1.1.0', {
      entries: [
        publishEntry('acme.echo@1.1.0'),
        testReportEntry({ orb_id: 'acme.echo@1.1.0', manifest_digest: DIGEST, passed: 0 }),
      ],
    });
    const size = await market.ledger.logSize();
    const scored = await market.reputation.evaluator.score([ORB, 'acme.echo@1.1.0', 'acme.none@1.0.0']);
    expect(scored.map(({ orbId, over }) => [orbId, over.size])).to.deep.equal([
      [ORB, size],
      ['acme.echo@1.1.0', size],
    ]);
  });

  it('writes nothing once the lease is lost, also when it was scored before', async () => {
    const [scored] = await market.reputation.evaluator.score([ORB]);
    await market.clock.advance(1000);
    const written = scored && market.reputation.evaluator.write(scored, { epoch: 1, signal: never, check: lost });
    expect(await refusal(written ?? Promise.resolve())).to.be.instanceOf(NotLeading);
    expect(await market.ledger.evaluation(ORB)).to.equal(undefined);
  });

  it('writes nothing for a holder of the lease that was replaced', async () => {
    expect(await evaluate(2)).to.equal('done');
    await market.clock.advance(DAY_MS);
    const size = await market.ledger.logSize();
    expect(await evaluate()).to.equal('fenced');
    expect(await kindsAfter(size)).to.deep.equal([]);
  });
});
