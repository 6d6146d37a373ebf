import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SCENARIOS } from '../../conformance/scenarios.ts';

const tests = join(import.meta.dirname, '../..');

/** Where a scenario is shown: a conformance scenario by its id and a part of its title, or a test by file and name. */
type Shown = readonly [id: string, title: string] | readonly [file: string, kind: 'test', name: string];

const conformance = (...shown: readonly (readonly [string, string])[]): readonly Shown[] => shown;
const shownBy = (file: string, name: string): Shown => [file, 'test', name];

const REPLICAS = 'unit/api-server/runtime/failover/replicas.test.ts';
const TENANTS = 'integration/failover/tenants.test.ts';
const BREAKER = 'unit/core/attempts/breaker.test.ts';
const OUTAGES = 'integration/failover/outages.test.ts';
const CHAOS = 'integration/chaos/leaders.test.ts';
const KILLED = 'integration/chaos/swaps.test.ts';

/** The rows of reliability.md §5, in order. */
const ROWS: readonly (readonly [scenario: string, shown: readonly Shown[]])[] = [
  [
    'connect refused, NXDOMAIN, TLS error',
    [
      ...conformance(['S1', 'refused'], ['S2', 'NXDOMAIN'], ['S3', 'TLS']),
      shownBy(BREAKER, 'opens on five bad attempts in a row, not on four'),
    ],
  ],
  ['slow headers, stalled body, truncated body', conformance(['S4', ''], ['S5', ''], ['S6', ''])],
  ['500 loop', conformance(['S7', '500 for ever'])],
  ['429 + Retry-After', conformance(['S8', '429'], ['S8', 'when the deadline is earlier'])],
  ['fast 503 (4 ms)', conformance(['S9', '503 in 4 ms'])],
  ['400', conformance(['S10', '400'])],
  [
    '307 to metadata, loopback, other host; DNS rebinding',
    conformance(['S11', ''], ['S12', 'then loopback'], ['S12', 'a private address']),
  ],
  ['non-idempotent POST times out', conformance(['S14', 'not repeatable'])],
  ['15 min at 5× latency', conformance(['S15', '40 seeds'], ['S15', 'through the whole platform'])],
  ['the same without probes', conformance(['S15', 'without probes'])],
  [
    'shared Orb, one tenant without its secret or with a used-up quota',
    [
      shownBy(TENANTS, 'feel nothing of ${why} of another one'),
      shownBy(TENANTS, 'are told when their quota is back when there is no other provider, and nothing is sent before'),
    ],
  ],
  ['20 s blip; near-tie for 20 min', conformance(['S16', '20 s at 10×'], ['S17', 'a tie with b'])],
  [
    'Prometheus down, empty, NaN, +Inf, stale target, two series, 400, slow',
    conformance(
      ...['down', '[]', 'NaN', '+Inf', 'stale target', 'two series', '400', '10 s slow'].map(
        (fault) => ['S18', `Prometheus: ${fault},`] as const,
      ),
    ),
  ],
  ['pin, pin expiry', conformance(['S19', 'soft'], ['S19', 'hard'], ['S19', 'once'], ['S19', 'expiry'])],
  [
    'all providers down',
    [
      ...conformance(['S20', 'all providers down']),
      shownBy(OUTAGES, 'keeps the effective provider: when it is back, it is called again'),
    ],
  ],
  [
    'operator killed between swap decision and patch, and after the patch',
    [
      ...conformance(['S21', 'hold'], ['S21', 'ramp'], ['S22', 'before its patch'], ['S22', 'after its patch']),
      shownBy(KILLED, 'makes each swap once, with one Event and one receipt'),
    ],
  ],
  [
    'two operators',
    [
      ...conformance(['S22', 'SIGKILL'], ['S22', 'SIGSTOP']),
      shownBy(CHAOS, 'a leader that stands still with a swap on its way swaps nothing twice'),
    ],
  ],
  [
    'API replicas with caches 5 s apart',
    [
      shownBy(
        REPLICAS,
        'answer from both providers while one has not heard of a swap, each receipt naming the one that was called',
      ),
      shownBy(REPLICAS, 'do so too when the provider that one still takes for the active one has failed for good'),
    ],
  ],
];

function isThere(shown: Shown): boolean {
  const [place, title, name] = shown;
  if (name === undefined) return SCENARIOS.some((scenario) => scenario.id === place && scenario.title.includes(title));
  const file = join(tests, place);
  return existsSync(file) && readFileSync(file, 'utf8').includes(name);
}

describe('scenarios of failover (reliability.md §5, R21)', () => {
  for (const [scenario, shown] of ROWS)
    it(`are shown by tests that are there: ${scenario}`, () => {
      expect(shown).to.not.have.lengthOf(0);
      expect(shown.filter((one) => !isThere(one))).to.deep.equal([]);
    });
});
