import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { silentLog } from '../../../adapters/telemetry/silent-log.ts';
import { systemClock, type Clock } from '../../../adapters/time/clock.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { readSuite, suiteDigest } from '../../../core/suite/read-suite.ts';
import { writeReport, type CaseResult } from '../../../core/test-report/write-report.ts';
import { EXAMPLE } from '../../../standalone/example/example.ts';
import { parseSettings } from '../../../standalone/settings.ts';
import { start, type Running } from '../../../standalone/start.ts';
import { at, objectAt, textAt } from '../../support/members.ts';
import { temporaryFolder } from '../../support/standalone.ts';
import { compiled, jsonOf } from '../../support/suites.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const root = join(import.meta.dirname, '../../..');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ORB = EXAMPLE.orbId;

const manifest = jsonOf(parse(readFileSync(join(root, 'manifests/echo.yaml'), 'utf8')));
const suite = jsonOf(JSON.parse(readFileSync(join(root, 'manifests/echo.orbtest.json'), 'utf8')));
const MOCKS = ['returns-text', 'provider-down', 'words-missing', 'too-slow'];

/** The result of a case without a receipt. */
const passed = (id: string): CaseResult => ({
  name: `echo/${id}`,
  suite: 'echo',
  mode: 'mock',
  required: true,
  status: 'passed',
  durationMs: 1,
  faults: [],
});

type Seen = readonly [tier: unknown, status: unknown, computed: unknown];
const tierIn = (value: JsonValue): Seen => [
  at(value, 'certification_tier'),
  at(value, 'tier_status'),
  at(value, 'computed_tier'),
];

/** The whole standalone program, with a wall clock that the test moves. All else is as with `npm start`. */
describe('a tier over time, at GET /reputation/{orb_id}', function overTime() {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let ahead = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
  let running: Running;
  before(() => begin());
  after(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  async function begin(): Promise<void> {
    const listen = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
    const flags = [...listen, '--data', join(folder, 'data'), '--reputation-interval', '1s'];
    const parsed = parseSettings(flags, join(root, 'manifests'));
    if (parsed.kind !== 'start') throw new Error(JSON.stringify(parsed));
    const log = {
      logger: silentLog,
      addRedactor: () => undefined,
      removeRedactor: () => undefined,
      leftOutLines: () => 0,
    };
    running = await start(parsed.settings, { root, clock, log, env: {}, orb: 'orb' });
  }

  const call = async (
    method: string,
    path: string,
    body?: JsonValue,
  ): Promise<{ status: number; value: JsonValue }> => {
    const answer = await fetch(`${running.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${running.key.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, value: jsonOf(await answer.json()) };
  };

  /** The live case: an execution of this moment, which the report cites. */
  async function liveCase(): Promise<CaseResult> {
    const inputs = { text: 'Hello, Orb' };
    const { status, value } = await call('POST', `/orbisets/${EXAMPLE.orbiset}/execute`, { orb_id: ORB, inputs });
    expect(status).to.equal(200);
    const opening = (name: string): string => textAt(value, 'openings', name, 'salt');
    return {
      ...passed('live'),
      mode: 'live',
      receiptId: textAt(value, 'receipt', 'receipt_id'),
      openings: { input_salt: opening('input'), output_salt: opening('output'), outputs: objectAt(value, 'outputs') },
    };
  }
  /** Publishes with a good report; `receipted`: its live case has a receipt, else the publisher only says it. */
  async function publish(provenance: 'receipted' | 'self_reported'): Promise<void> {
    const isReceipted = provenance === 'receipted';
    const orb = compiled(manifest);
    const read = readSuite(suite, orb, '');
    if (!read.ok) throw new Error('the suite of the example is good');
    const begun = clock.now();
    const live = isReceipted ? await liveCase() : passed('live');
    const digest = isReceipted ? suiteDigest([read.value]) : null;
    const report = writeReport([...MOCKS.map(passed), live], {
      orb: { orb_id: orb.orbId, manifest_digest: orb.digest, suite_digest: digest },
      start: begun,
      stop: clock.now(),
      version: '1.0.0',
      uuid: randomUUID,
    });
    const suites = isReceipted ? { test_suites: [suite] } : {};
    const { status, value } = await call('POST', '/marketplace/orbs/publish', {
      manifest,
      test_results: report,
      ...suites,
    });
    expect([200, 201], JSON.stringify(value)).to.include(status);
  }

  const profile = async (): Promise<JsonValue> => (await call('GET', `/reputation/${encodeURIComponent(ORB)}`)).value;
  /** The tier, its state and the computed tier, once they are as wanted. */
  const until = async (wanted: (seen: Seen) => boolean): Promise<Seen> =>
    lastAnswer(async () => tierIn(await profile()), wanted);
  /** The same of the first evaluation after a time. */
  const seenSince = async (from: number): Promise<Seen> =>
    tierIn(await lastAnswer(profile, (value) => Date.parse(textAt(value, 'computed_at')) >= from));
  /** The same after the wall clock moved; the run makes an evaluation due at any time of day. */
  async function seenAfter(hours: number): Promise<Seen> {
    ahead += hours * HOUR_MS;
    const from = clock.now();
    await liveCase();
    return seenSince(from);
  }

  it('is bronze at once from tests with receipts', async () => {
    await publish('receipted');
    expect(await until(([tier]) => tier === 'bronze')).to.deep.equal(['bronze', 'stable', 'bronze']);
  });

  it('is at risk when its tests prove less, and recovers within 7 days', async () => {
    await publish('self_reported');
    expect(await until(([, status]) => status === 'at_risk')).to.deep.equal(['bronze', 'at_risk', 'uncertified']);
    expect(await seenAfter(167)).to.deep.equal(['bronze', 'at_risk', 'uncertified']);
    await publish('receipted');
    expect(await until(([, status]) => status === 'stable')).to.deep.equal(['bronze', 'stable', 'bronze']);
  });

  it('slides down after 168 hours at risk, not before', async () => {
    await publish('self_reported');
    await until(([, status]) => status === 'at_risk');
    expect(await seenAfter(167)).to.deep.equal(['bronze', 'at_risk', 'uncertified']);
    expect(await seenAfter(1)).to.deep.equal(['uncertified', 'stable', 'uncertified']);
  });

  it('is promoted after 72 hours, not before', async () => {
    await publish('receipted');
    expect(await until(([, , computed]) => computed === 'bronze')).to.deep.equal(['uncertified', 'stable', 'bronze']);
    expect(await seenAfter(71)).to.deep.equal(['uncertified', 'stable', 'bronze']);
    expect(await seenAfter(1)).to.deep.equal(['bronze', 'stable', 'bronze']);
  });

  it('is lost on the day when its tests are older than 90 days, also over a restart', async () => {
    // The tests are 3 days old. The key of the first start is valid for 90 days: the next start makes another. A day that
    // began makes an evaluation due. The certificate of the example's provider is not valid yet by the machine's clock.
    await running.stop();
    ahead += 86 * DAY_MS;
    const from = clock.now();
    await begin();
    expect(await seenSince(from)).to.deep.equal(['bronze', 'stable', 'bronze']);
    ahead += 2 * DAY_MS;
    expect(await seenSince(clock.now())).to.deep.equal(['uncertified', 'stable', 'uncertified']);
    expect(at(await profile(), 'caps')).to.deep.equal(['tests_not_current']);
  });
});
