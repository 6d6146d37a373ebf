// `npm run bench tenants [-- --row NAME --seconds 10 --json FILE --cluster --profile FOLDER]`: what one tenant has while
// another one attacks. The platform has a core of its own. Attackers, providers and the measured caller have the other one,
// attackers at a lower priority.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignal, withFolder } from './clean-end.ts';
import { percentile } from '../../test/support/rank.ts';
import { portOf } from './subjects.ts';
import { ATTACKS, isAttack, type AttackName } from './tenants/attacks.ts';
import { measure, rowOf, type Measured } from './tenants/measure.ts';
import { CORES, pin, startScript } from './tenants/pinned.ts';
import { startAttackedPlatform } from './tenants/platform.ts';
import type { Providers } from './tenants/resources.ts';
import { tenantTable } from './tenants/table.ts';
import { withCluster } from './tenants/cluster.ts';

const BASELINE: AttackName = 'share';
const WARM_SECONDS = 2;

const { values: options } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '10' },
    json: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const seconds = Number(options.seconds);
const unknown = options.row.find((name) => !isAttack(name));
if (unknown !== undefined) throw new RangeError(`there is no row "${unknown}": ${Object.keys(ATTACKS).join(', ')}`);
const chosen = Object.keys(ATTACKS)
  .filter(isAttack)
  .filter((name) => name !== BASELINE && (options.row.length === 0 || options.row.includes(name)));

/** Each row has a platform of its own: what one attack left in memory counts in no other row. */
async function standaloneRows(providers: Providers): Promise<readonly Measured[]> {
  const rows: Measured[] = [];
  for (const name of chosen) {
    const profile = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', join(options.profile, name)];
    await withFolder(join(tmpdir(), 'orb-tenants-'), async (folder) => {
      const platform = await startAttackedPlatform(folder, providers, profile);
      try {
        await measure(platform, BASELINE, WARM_SECONDS);
        rows.push(await measure(platform, BASELINE, seconds), await measure(platform, name, seconds));
      } finally {
        await platform.stop();
      }
    });
    const [beside, attacked] = rows.slice(-2).map(({ latencies }) => percentile(latencies, 0.99).toFixed(0));
    process.stderr.write(`${name}: p99 ${attacked} ms, beside a tenant in its share ${beside} ms\n`);
  }
  return rows;
}

/** A control plane is slow to start: all rows have the same API. */
const clusterRows = (providers: Providers): Promise<readonly Measured[]> =>
  withCluster(providers, async (platform) => {
    await measure(platform, BASELINE, WARM_SECONDS);
    const rows: Measured[] = [];
    for (const name of chosen) {
      rows.push(await measure(platform, BASELINE, seconds), await measure(platform, name, seconds));
    }
    return rows;
  });

endOnSignal();
pin(process.pid, CORES.others);
const scripts = [1, 2].map(() => startScript([join(import.meta.dirname, 'tenant-provider.ts')]));
try {
  const [shared = '', hostile = ''] = await Promise.all(
    scripts.map(async (script) => `http://127.0.0.1:${portOf(await script.line())}`),
  );
  const where = options.cluster ? 'the API on a local control plane' : 'standalone';
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}, ${where}`);
  const measured = await (options.cluster ? clusterRows : standaloneRows)({ shared, hostile });
  // Each attack is compared with the baseline that was measured just before it, in the same process.
  const baselineOf = (at: number): Measured | undefined =>
    measured.slice(0, at + 1).findLast(({ attack }) => attack === BASELINE);
  const rows = measured.map((one, at) => ({ measured: one, row: rowOf(one, baselineOf(at)?.latencies ?? []) }));
  console.log(tenantTable(rows));
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ where, rows }));
  process.exitCode = rows.every(({ measured: { attack }, row: { met } }) => attack === BASELINE || met) ? 0 : 1;
} finally {
  for (const script of scripts) await script.stop();
}
