// `npm run bench tenants [-- --row NAME --rounds 3 --seconds 10 --json FILE --cluster --profile FOLDER]`: what one tenant has
// while another one attacks. The platform has a core of its own. Attackers, providers and the measured caller have the other
// one; attackers and their provider at a lower priority.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endByBadUse, readBenchOptions } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { percentile } from '../../test/support/rank.ts';
import { portOf } from './subjects.ts';
import { ATTACKS, isAttack, type AttackName } from './tenants/attacks.ts';
import { joined, measure, rowOf, type Measured } from './tenants/measure.ts';
import { ATTACKER_NICE, CORES, pin, startScript } from './tenants/pinned.ts';
import { startAttackedPlatform, type AttackedPlatform } from './tenants/platform.ts';
import type { Providers } from './tenants/resources.ts';
import { tenantTable } from './tenants/table.ts';
import { withCluster } from './tenants/cluster.ts';

const BASELINE: AttackName = 'share';
const WARM_SECONDS = 8;

const options = readBenchOptions({
  name: 'tenants',
  about: `Measures what one tenant has while another one attacks. The platform has a core of its own. Attackers, providers and the
measured caller have the other one, attackers and their provider at a lower priority. Each attack takes turns with a tenant
that fills its share; the calls of all rounds are judged together. The exit code is 1 when a goal is missed.`,
  options: [
    { name: 'row', takes: 'NAME', many: true, text: 'only this attack, for example slow-1400' },
    { name: 'rounds', takes: 'N', value: '3', least: 1, text: 'rounds of each attack' },
    { name: 'seconds', takes: 'SECONDS', value: '10', least: 0.1, text: 'duration of each attack in a round' },
    { name: 'cluster', text: 'the API on a local control plane in place of standalone' },
    { name: 'profile', takes: 'FOLDER', text: 'for a CPU profile of the platform in each attack' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
});
const [rounds, seconds] = [options.number('rounds'), options.number('seconds')];
const wanted = options.all('row');
const unknown = wanted.find((name) => !isAttack(name));
if (unknown !== undefined)
  endByBadUse('tenants', `--row takes one of ${Object.keys(ATTACKS).join(', ')}, not "${unknown}"`);
const chosen = Object.keys(ATTACKS)
  .filter(isAttack)
  .filter((name) => name !== BASELINE && (wanted.length === 0 || wanted.includes(name)));

/** An attack, and the baseline that was measured before it in each round: speeds of machines drift. */
async function inRounds(platform: AttackedPlatform, name: AttackName): Promise<readonly [Measured, Measured]> {
  const shares: Measured[] = [];
  const attacks: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const beside = await measure(platform, BASELINE, seconds);
    const attacked = await measure(platform, name, seconds);
    const [ms, besideMs] = [attacked, beside].map(({ latencies }) => percentile(latencies, 0.99).toFixed(0));
    process.stderr.write(`${name}, round ${round}: p99 ${ms} ms, beside a tenant in its share ${besideMs} ms\n`);
    shares.push(beside);
    attacks.push(attacked);
  }
  return [joined(shares), joined(attacks)];
}

/** Each row has a platform of its own: what one attack left in memory counts in no other row. */
async function standaloneRows(providers: Providers): Promise<readonly Measured[]> {
  const rows: Measured[] = [];
  for (const name of chosen) {
    const folderOfProfile = options.given('profile');
    const profile = folderOfProfile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', join(folderOfProfile, name)];
    await withFolder(join(tmpdir(), 'orb-tenants-'), async (folder) => {
      const platform = await startAttackedPlatform(folder, providers, profile);
      try {
        await measure(platform, BASELINE, WARM_SECONDS);
        rows.push(...(await inRounds(platform, name)));
      } finally {
        await platform.stop();
      }
    });
  }
  return rows;
}

/** A control plane is slow to start: all rows have the same API. */
const clusterRows = (providers: Providers): Promise<readonly Measured[]> =>
  withCluster(providers, async (platform) => {
    await measure(platform, BASELINE, WARM_SECONDS);
    const rows: Measured[] = [];
    for (const name of chosen) rows.push(...(await inRounds(platform, name)));
    return rows;
  });

endOnSignal();
pin(process.pid, CORES.others);
// The second one is the attacker's: what it sends must not delay the measured caller either.
const scripts = [0, ATTACKER_NICE].map((nice) => startScript([join(import.meta.dirname, 'tenant-provider.ts')], nice));
try {
  const [shared = '', hostile = ''] = await Promise.all(
    scripts.map(async (script) => `http://127.0.0.1:${portOf(await script.line())}`),
  );
  const where = options.has('cluster') ? 'the API on a local control plane' : 'standalone';
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}, ${where}`);
  const measured = await (options.has('cluster') ? clusterRows : standaloneRows)({ shared, hostile });
  // Each attack is compared with the baseline that it took turns with, in the same process.
  const baselineOf = (at: number): Measured | undefined =>
    measured.slice(0, at + 1).findLast(({ attack }) => attack === BASELINE);
  const rows = measured.map((one, at) => ({ measured: one, row: rowOf(one, baselineOf(at)?.latencies ?? []) }));
  console.log(tenantTable(rows));
  const json = options.given('json');
  if (json !== undefined) writeFileSync(json, JSON.stringify({ where, rows }));
  process.exitCode = rows.every(({ measured: { attack }, row: { met } }) => attack === BASELINE || met) ? 0 : 1;
} finally {
  for (const script of scripts) await script.stop();
}
