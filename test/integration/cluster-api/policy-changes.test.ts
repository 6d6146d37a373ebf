import { expect } from 'chai';
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
import { openDataLedger } from '../../support/data-ledger.ts';
import { at, payloadOf, textAt } from '../../support/members.ts';
import { aPolicy, policyObject } from '../../support/policies.ts';
import { jsonIn } from '../../support/policy-runs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const NAMESPACE = 'p16-changes';
const ECHO = 'acme.echo@1.0.0';
const NO_POLICY = policySet([], []).digest;
/** A change is in force within this time, ms. */
const IN_FORCE_MS = 2000;
/** A run began at most this long before its receipt was issued, ms. */
const RUN_MS = 1000;
const STAY_MS = 1000;
/** Runs that all workers try in a second; a busy machine takes fewer, and none while the process is away. */
const RATE = Number(process.env['ORB_RUNS_PER_SECOND'] ?? 250);
/** From one run of a worker to its next, ms. */
const EVERY_MS = 80;
const WORKERS = Math.ceil((RATE * EVERY_MS) / 1000);

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
  const issued = Date.parse(textAt(record, 'issued_at'));
  const isSo = periods.some(
    (period) => period.digest === digest && period.from <= issued && issued - RUN_MS <= period.to + IN_FORCE_MS,
  );
  return isSo ? undefined : `${textAt(record, 'receipt_id')} names ${digest} at ${issued}`;
}

/** Whether the decision of a run is stored as its receipt says it; a run that met no policy has none. */
async function isDecided(ledger: Ledger, runId: string, record: JsonObject): Promise<boolean> {
  const stored = await ledger.decisionOfRun(NAMESPACE, runId);
  const { set_digest: digest, decision } = jsonIn(JSON.stringify(at(record, 'policy')));
  if (digest === NO_POLICY) return stored === undefined;
  return stored?.decision === decision && jsonIn(stored?.json)['policy_set_digest'] === digest;
}

describe('policies that change under load', function suite() {
  this.timeout(180_000);
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
    const stop = new AbortController();

    async function runOnce(): Promise<void> {
      const { status, code, body } = await api.execute(owner.key, 'support', ECHO);
      const id = /"receipt_id":"(rcpt_[^"]+)"/.exec(JSON.stringify(body))?.[1];
      const said = `${status} ${code}`;
      if (id !== undefined && (said === '200 ' || said === '403 policy-denied')) receipts.push(id);
      else odd.push(said);
    }
    const worker = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        // While the process is away, nothing is acknowledged.
        await Promise.all([runOnce().catch(() => undefined), delay(EVERY_MS)]);
      }
    };
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

    const workers = Array.from({ length: WORKERS }, worker);
    const began = performance.now();
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
      stop.abort();
      await Promise.all(workers);
    }

    const seconds = (performance.now() - began) / 1000;
    if (process.env['ORB_RUNS_PER_SECOND'] !== undefined)
      process.stdout.write(`${Math.round(receipts.length / seconds)} acknowledged runs a second\n`);
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
      // A run whose process was just about to stop is told so; nothing else is refused.
      expect(odd.filter((said) => !said.startsWith('503 '))).to.deep.equal([]);
      expect(stored.size).to.be.greaterThan(300);
    } finally {
      await ledger.close();
    }
  });
});
