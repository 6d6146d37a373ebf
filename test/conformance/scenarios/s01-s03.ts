import { liveMs } from '../../support/live-clock.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { answersOk, inWorld, serves, type Place, type WorldOptions } from '../world.ts';

const RUNS = 100;
/** More than the retry budget: unsent requests still move to b. */
const AT_ONCE = 33;
const LONGEST_MS = 300;

/** Time for 33 TLS handshakes at once, server and client in one process, on a machine that does other work as well. */
const CONNECT_MS = 3_000;

/** b answers every run while a can't be reached; for requests that may be repeated, and for requests that may not. */
async function unreachable(place: Place, options: Partial<WorldOptions> = {}): Promise<Result> {
  const checks = new Checks();
  for (const idempotent of [true, false]) {
    await inWorld(
      {
        ...options,
        places: { a: place, b: serves(answersOk('b')) },
        execution: { idempotent, connect_timeout_ms: CONNECT_MS },
      },
      async (world) => {
        const run = world.run();
        checks.atMost(`idempotent ${idempotent}: ms of the first run`, await liveMs(() => run), LONGEST_MS);
        const first = await run;
        checks.equal('outputs of b', first.body['outputs'], { id: 'b' });
        checks.equal('attempts', await world.path(first), 'a error, b success');
        const answers = [first];
        for (let runs = 1; runs < RUNS; runs += AT_ONCE) {
          answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => world.run()))));
        }
        const failed = answers
          .filter((answered) => answered.status !== 200)
          .map(({ status, body }) => ({ status, body }));
        checks.equal(`caller errors in ${RUNS} runs`, failed, []);
        if (place.kind === 'server') checks.equal('requests that reached a', world.server('a').requests, []);
      },
    );
  }
  return checks.result();
}

const noSuchName = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));

export const s01: Scenario = {
  id: 'S1',
  title: 'connection refused',
  run: () => unreachable({ kind: 'closed' }),
};

export const s02: Scenario = {
  id: 'S2',
  title: 'NXDOMAIN',
  run: () => unreachable({ kind: 'unknown' }, { resolve: noSuchName }),
};

const certificates = ['expired', 'self-signed', 'wrong-name'] as const;

export const s03: readonly Scenario[] = certificates.map((kind) => ({
  id: 'S3',
  title: `TLS: ${kind} certificate`,
  run: () => unreachable(serves(answersOk('a'), kind)),
}));
