// `npm run failover-run [-- --outage 10m --modes query,recorded --rate 5 --keep]`: failover end to end, on a control plane
// with a real Prometheus (25 minutes). Both Orbs, one with probes and one without, are called all the time.
import { openJournal, type Journal } from './journal.ts';
import { finalChecks } from './final-checks.ts';
import { runCycle, type Detection } from './leg.ts';
import { startLoad, untilServed } from './load.ts';
import { writeReport, markdownOf } from './report.ts';
import { parseSettings, type Settings } from './settings.ts';
import { watchOrbs } from './watch-orbs.ts';
import { startWorld, untilReady, type World } from './world.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function runAll(world: World, settings: Settings, journal: Journal): Promise<readonly Detection[]> {
  await world.runOperator(settings.modes[0] ?? 'query');
  await untilReady(world);
  const orbs = watchOrbs(world, journal, (error) => journal.check('the Orbs are watched', false, String(error)));
  const target = { url: world.api.url, apiKey: world.apiKey };
  await untilServed(target);
  const load = startLoad(target, settings.rate);
  const stage = { world, journal, load, orbs };
  const found: Detection[] = [];
  try {
    for (const [index, mode] of settings.modes.entries()) {
      journal.begin(mode);
      if (index > 0) await world.runOperator(mode);
      found.push(...(await runCycle(stage, { mode, outageMs: index === 0 ? settings.outageMs : 0 })));
    }
  } catch (error) {
    journal.check('it runs to its end', false, String(error));
  }
  await load.stop();
  journal.begin('');
  await finalChecks(stage);
  orbs.close();
  return found;
}

const settings = parseSettings(process.argv.slice(2));
// What was started ends with this process, and only `exit` tells it so.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const world = await startWorld();
const journal = openJournal(say);
try {
  const found = await runAll(world, settings, journal);
  say(`\n${markdownOf(journal, found)}\n`);
  say(`kept: ${writeReport(journal, found)}`);
} finally {
  await world.close(settings.keep);
  if (settings.keep) say(`logs and data: ${world.plane.folder}`);
}
const failed = journal.checks.filter(({ passed }) => !passed).length;
say(`${journal.checks.length - failed} of ${journal.checks.length} checks passed`);
process.exitCode = failed === 0 ? 0 : 1;
