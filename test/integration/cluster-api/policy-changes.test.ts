import { expect } from 'chai';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { policySet } from '../../../core/policy/decision/policy-set.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { receiptsOf } from '../../chaos/check-killed.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { ledgerFileOf, openDataLedger } from '../../support/data-ledger.ts';
import { at, payloadOf, textAt } from '../../support/members.ts';
import { aPolicy, policyObject } from '../../support/policies.ts';
import { jsonIn } from '../../support/policy-runs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { steadyArrivals, type Arrivals } from '../../support/steady-arrivals.ts';

const NAMESPACE = 'p16-changes';
const ECHO = 'acme.echo@1.0.0';
const NO_POLICY = policySet([], []).digest;
/** A change is in force within this time, ms. */
const IN_FORCE_MS = 2000;
const STAY_MS = 1000;
/** Runs that arrive in a second, also while the process is away or slow; then they wait at their callers. */
const RATE = Number(process.env['ORB_RUNS_PER_SECOND'] ?? 200);
const CONNECTIONS = 32;
/** A caller whose run was not taken sends it again after this time, so often at most. */
const AGAIN_MS = 250;
const TRIES = 240;

const denyBelow = (score: number): OrbPolicySpec => ({
  mode: 'Enforce',
  rules: [{ name: 'score', effect: 'deny', when: `orb.score + ${score} < 1000` }],
});
/** The digest of the set whose only policy this is. */
function digestOf(spec: OrbPolicySpec): string {
  const policy = aPolicy(spec, 'limits');
  return policySet([{ ...policy, definition: { ...policy.definition, namespace: NAMESPACE } }], []).digest;
}

/** A set of policies, from the moment when it was asked for to the moment when the next one was stored; ms. */
interface Period {
  readonly digest: string;
  readonly from: number;
  readonly to: number;
}

/** What one receipt says that can not be so. */
function faultOf(record: JsonObject, periods: readonly Period[]): string | undefined {
  const digest = textAt(record, 'policy', 'set_digest');
  const started = Date.parse(textAt(record, 'execution', 'started_at'));
  const issued = Date.parse(textAt(record, 'issued_at'));
  const isSo = periods.some(
    (period) => period.digest === digest && period.from <= issued && started <= period.to + IN_FORCE_MS,
  );
  return isSo ? undefined : `${textAt(record, 'receipt_id')} names ${digest} from ${started} to ${issued}`;
}

/** Runs that a kill left without a receipt. */
function openRuns(file: string): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db.prepare('SELECT run_id FROM runs').all();
    return rows.map((row) => String(row['run_id']));
  } finally {
    db.close();
  }
}

/** Whether the decision of a run is stored as its receipt says it; a run that met no policy has none. */
async function isDecided(ledger: Ledger, runId: string, record: JsonObject): Promise<boolean> {
  const stored = await ledger.decisionOfRun(NAMESPACE, runId);
  const { set_digest: digest, decision } = jsonIn(JSON.stringify(at(record, 'policy')));
  if (digest === NO_POLICY) return stored === undefined;
  return stored?.decision === decision && jsonIn(stored?.json)['policy_set_digest'] === digest;
}

describe('policies that change under load', function suite() {
  // What waits while the process is away or slow is done at the end.
  this.timeout(480_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret([NAMESPACE]);

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, NAMESPACE);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok` }), orbiset('support', []));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await provider.close();
    await api.stop();
  });

  it('decide every run, by a set that was in force, through deletions and a kill', async () => {
    const periods: Period[] = [{ digest: NO_POLICY, from: 0, to: Infinity }];
    const receipts: string[] = [];
    const odd: string[] = [];
    /** Requests that were not taken, and sent again. */
    const again = { unanswered: 0, refused: 0 };

    /** @returns whether the run has its decision */
    async function runOnce(): Promise<boolean> {
      const reply = await api.execute(owner.key, 'support', ECHO).catch(() => undefined);
      // A process that is away gives no answer; one that is about to stop takes no run.
      if (reply === undefined) again.unanswered += 1;
      else if (reply.status === 503) again.refused += 1;
      if (reply === undefined || reply.status === 503) return false;
      const id = /"receipt_id":"(rcpt_[^"]+)"/.exec(JSON.stringify(reply.body))?.[1];
      const said = `${reply.status} ${reply.code}`;
      if (id !== undefined && (said === '200 ' || said === '403 policy-denied')) receipts.push(id);
      else odd.push(said);
      return true;
    }
    async function untilDecided(): Promise<void> {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        if (await runOnce()) return;
        await delay(AGAIN_MS);
      }
      odd.push('no answer');
    }
    async function change(digest: string, act: () => Promise<unknown>): Promise<void> {
      const from = Date.now();
      await act();
      const last = periods.pop();
      if (last !== undefined) periods.push({ ...last, to: Date.now() });
      periods.push({ digest, from, to: Infinity });
      await delay(STAY_MS);
    }
    const apply = (spec: OrbPolicySpec): Promise<void> =>
      change(digestOf(spec), () => team.apply(policyObject('limits', spec)));

    const arrivals = steadyArrivals({ perSecond: RATE, atOnce: CONNECTIONS }, untilDecided);
    const began = performance.now();
    let seconds = 0;
    let offered: Awaited<ReturnType<Arrivals['end']>>;
    try {
      for (const score of [900, 1000, 901, 1001]) await apply(denyBelow(score));
      await change(NO_POLICY, () => team.kubectl('delete', 'orbpolicies', '--all'));
      await apply(denyBelow(902));
      api = await api.restart('SIGKILL');
      await delay(STAY_MS);
      await apply(denyBelow(1002));
      await change(NO_POLICY, () => team.kubectl('delete', 'orbpolicies', '--all'));
      api = await api.restart('SIGTERM');
      await delay(STAY_MS);
      await apply(denyBelow(903));
    } finally {
      seconds = (performance.now() - began) / 1000;
      offered = await arrivals.end();
    }

    // Not how many were answered in time, which a busy machine decides: all that were due came, and each has its decision.
    expect(offered.count).to.be.at.least(RATE * seconds);
    expect([odd, receipts.length, new Set(receipts).size]).to.deep.equal([[], offered.count, offered.count]);
    expect(again.unanswered).to.be.above(0);
    if (process.env['ORB_RUNS_PER_SECOND'] !== undefined)
      process.stdout.write(
        `${offered.count} runs in ${offered.seconds.toFixed(1)} s, all decided; sent again: ${JSON.stringify(again)}\n`,
      );
    expect(await api.process.stop()).to.equal(0);
    // The ledger is read from the folder of the process that ended; `restart` starts over the same folder.
    const { ledger } = await openDataLedger(api.data);
    try {
      const stored = await receiptsOf(ledger, NAMESPACE);
      expect(receipts.filter((id) => !stored.has(id))).to.deep.equal([]);
      const faults: string[] = [];
      const digests = new Map<string, number>();
      for (const { jws } of stored.values()) {
        const record = payloadOf(jws);
        const runId = textAt(record, 'execution', 'run_id');
        const fault = faultOf(record, periods);
        if (fault !== undefined) faults.push(fault);
        if (!(await isDecided(ledger, runId, record))) faults.push(`${runId} has no decision, or another one`);
        const digest = textAt(record, 'policy', 'set_digest');
        digests.set(digest, (digests.get(digest) ?? 0) + 1);
      }
      expect(faults).to.deep.equal([]);
      expect([...digests.keys()]).to.have.members([...new Set(periods.map(({ digest }) => digest))]);
      expect(stored.size).to.be.at.least(offered.count);
      for (const runId of openRuns(ledgerFileOf(api.data)))
        expect(await ledger.decisionOfRun(NAMESPACE, runId), runId).not.to.equal(undefined);
    } finally {
      await ledger.close();
    }
  });
});
