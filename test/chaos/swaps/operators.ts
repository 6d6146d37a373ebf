import { startOperator, type OperatorProcess, SHORT_LEASE } from '../../support/operator-process.ts';
import { leaderOf, untilTrue, type World } from '../operator/world.ts';
import { startCountingProxy, type CountingProxy } from '../rig/counting-proxy.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import type { Rule } from '../rig/rules.ts';

/** One of two operators: killed and restarted behind the same proxy, each time as another candidate. */
interface Candidate {
  readonly proxy: CountingProxy;
  operator: OperatorProcess;
}

/** Two operators with one leader, on one control plane and one Prometheus. */
export interface Operators {
  /** Kills the leader by SIGKILL and restarts it. @returns false: there was no leader within the time of a lease */
  readonly killLeader: () => Promise<boolean>;
  /**
   * Adds a rule for both; `kill` kills the operator whose request matched, and restarts it.
   * @returns removes the rule
   */
  readonly addRule: (make: (kill: () => Promise<void>) => Rule) => () => void;
  /** Resolves when killed operators run again. */
  readonly settled: () => Promise<void>;
  /** SIGTERM for both; the second call does nothing. @returns their faults: oracle i */
  readonly stop: () => Promise<readonly string[]>;
}

const ALL_LINES = 100_000;
const LEADER_MS = 15_000;

/** @param given flags in addition to those of the lease and the tick */
export async function startOperators(world: World, given: readonly string[]): Promise<Operators> {
  const { plane } = world;
  const faults: string[] = [];
  const flags = [...SHORT_LEASE, '--failover-tick', '1s', ...given];
  const start = (proxy: CountingProxy): Promise<OperatorProcess> =>
    startOperator(plane, {
      connection: ['--kube-server', proxy.url, '--kube-token-file', plane.users.operator.tokenFile],
      flags,
    });
  const candidate = async (): Promise<Candidate> => {
    const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
    return { proxy, operator: await start(proxy) };
  };
  const candidates = [await candidate(), await candidate()];
  let isStopped = false;
  const restarting = new Set<Promise<void>>();
  const again = async (one: Candidate): Promise<void> => {
    faults.push(...checkOutput(one.operator.process.tail(ALL_LINES)));
    await one.operator.stop();
    one.operator = await start(one.proxy);
  };
  const kill = async (one: Candidate): Promise<void> => {
    const { process } = one.operator;
    process.kill('SIGKILL');
    await process.exited;
    const restarted = again(one);
    restarting.add(restarted);
    void restarted.finally(() => restarting.delete(restarted));
  };
  const settled = async (): Promise<void> => void (await Promise.all(restarting));
  /** The holder of the lease may be a killed operator. */
  const leader = async (): Promise<Candidate | undefined> => {
    const identity = await leaderOf(world);
    return candidates.find(({ operator }) => operator.ready.identity === identity);
  };
  return {
    killLeader: async () => {
      await settled();
      let found: Candidate | undefined;
      const isLeading = async (): Promise<boolean> => {
        found = await leader();
        return found !== undefined;
      };
      await untilTrue('no replica leads', isLeading, LEADER_MS).catch(() => undefined);
      if (found === undefined) return false;
      await kill(found);
      return true;
    },
    addRule: (make) => {
      const removals = candidates.map((one) => one.proxy.addRule(make(() => kill(one))));
      return () => removals.forEach((remove) => remove());
    },
    settled,
    stop: async () => {
      await settled();
      if (isStopped) return faults;
      isStopped = true;
      for (const { operator, proxy } of candidates) {
        operator.process.kill('SIGTERM');
        const code = await operator.process.exited;
        if (code !== 0) faults.push(`an operator ended with ${code}: ${operator.process.tail(3)}`);
        faults.push(...checkOutput(operator.process.tail(ALL_LINES)));
        await operator.stop();
        await proxy.close();
      }
      return faults;
    },
  };
}
