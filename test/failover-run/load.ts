import { at } from '../../hack/control-plane/json.ts';
import { startCallers } from '../support/callers.ts';
import { NAMESPACE, ORBISET, ORBS, type CalledOrb } from './orbs.ts';
import { lastAnswer } from '../support/wait-for.ts';
import { percentile } from '../support/rank.ts';

/** One run as its caller saw it. */
export interface CallerRun {
  readonly orb: string;
  /** Ms since epoch, when it was asked for. */
  readonly at: number;
  readonly ms: number;
  /** '' when it failed. */
  readonly provider: string;
  /** Why it failed; '' when it did not. */
  readonly fault: string;
}

/** Callers that come whether the last one was answered or not. */
export interface Load {
  readonly runs: readonly CallerRun[];
  /** Resolves when every caller has its answer. */
  readonly stop: () => Promise<void>;
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
}

const TIMEOUT_MS = 20_000;

/** Input of the runs before the load. */
export const FIRST = 'first';

async function execute({ url, apiKey }: Target, orb: CalledOrb, id: string): Promise<CallerRun> {
  const asked = Date.now();
  const began = performance.now();
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ orb_id: orb.orbId, inputs: { id } });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const seen = { orb: orb.name, at: asked };
  try {
    const response = await fetch(`${url}/orbisets/${NAMESPACE}.${ORBISET}/execute`, {
      method: 'POST',
      headers,
      body,
      signal,
    });
    const answer: unknown = await response.json();
    const ms = performance.now() - began;
    const provider = at(answer, 'outputs', 'provider');
    if (typeof provider === 'string') return { ...seen, ms, provider, fault: '' };
    return { ...seen, ms, provider: '', fault: `${response.status} ${String(at(answer, 'code'))}` };
  } catch (error) {
    return { ...seen, ms: performance.now() - began, provider: '', fault: String(error) };
  }
}

/** Resolves when the API, which has caches of its own, executes each Orb. @throws Error it does not within 20 s */
export async function untilServed(target: Target): Promise<void> {
  for (const orb of ORBS) {
    const run = await lastAnswer(
      () => execute(target, orb, FIRST),
      ({ fault }) => fault === '',
      TIMEOUT_MS,
    );
    if (run.fault !== '') throw new Error(`${orb.name} is not executed: ${run.fault}`);
  }
}

/** Starts `rate` runs a second of each Orb. */
export function startLoad(target: Target, rate: number): Load {
  const runs: CallerRun[] = [];
  const call = async (orb: CalledOrb, id: string): Promise<void> => void runs.push(await execute(target, orb, id));
  const stop = startCallers(rate, (number) => Promise.all(ORBS.map((orb) => call(orb, `${orb.name}-${number}`))));
  return { runs, stop };
}

/** What that share of the runs took at most, ms; NaN without runs. */
export const latency = (runs: readonly CallerRun[], share: number): number =>
  percentile(
    runs.map(({ ms }) => ms),
    share,
  );
