import { join } from 'node:path';
import type { SwapRecord } from '../../core/failover/types.ts';
import { at } from '../../hack/control-plane/json.ts';
import { orb, recordOf } from './command-line.ts';
import { FIRST } from './load.ts';
import { NAMESPACE, ORBS, type CalledOrb } from './orbs.ts';
import type { Stage } from './stage.ts';

async function checkReceipt({ world, journal }: Stage, { seq, receiptId }: SwapRecord, of: CalledOrb): Promise<void> {
  const file = join(world.plane.folder, `${receiptId}.json`);
  const got = await orb(world, 'receipts', 'get', receiptId, '--namespace', NAMESPACE, '--bundle', file);
  const verified = await orb(world, 'verify', file, '--explain', '--root', world.rootFile);
  const follows =
    /the swap .*follow.*/.exec(verified.stdout)?.[0] ?? `${got.stderr}${verified.stdout}${verified.stderr}`;
  const isProven = got.code === 0 && verified.code === 0 && follows.includes('follows from the evidence');
  journal.check(`${of.name}: receipt of swap ${seq} verifies and follows`, isProven, follows.trim());
}

/** Each receipt names the one before it: none is missing, none is there twice. */
async function checkChain({ world, journal }: Stage, swaps: readonly SwapRecord[], of: CalledOrb): Promise<void> {
  const records = await Promise.all(swaps.map(({ receiptId }) => recordOf(world, receiptId)));
  const chain = records.map((record) => [at(record, 'swap', 'seq'), at(record, 'previous_receipt_id')]);
  const wanted = swaps.map(({ seq }, index) => [seq, swaps[index - 1]?.receiptId ?? null]);
  const numbers = swaps.map(({ seq }) => seq).join(', ');
  const isWhole = numbers === swaps.map((_, index) => index + 1).join(', ');
  journal.check(
    `${of.name}: swapSeq without gap or repeat, one receipt each`,
    isWhole && JSON.stringify(chain) === JSON.stringify(wanted),
    numbers,
  );
}

async function checkEvents({ world, journal }: Stage, swaps: number, of: CalledOrb): Promise<void> {
  const events = await world.team.list('events.events.k8s.io');
  const own = events.filter(
    (event) => at(event, 'regarding', 'name') === of.name && at(event, 'reason') === 'ProviderChanged',
  );
  const repeated = own.filter((event) => at(event, 'series') !== undefined).length;
  journal.check(
    `${of.name}: one Event per swap`,
    own.length === swaps && repeated === 0,
    `${own.length} Events, ${swaps} swaps`,
  );
}

function checkRuns({ world, load, journal }: Stage): void {
  const failed = load.runs.filter(({ fault }) => fault !== '');
  journal.check(
    'no run failed',
    failed.length === 0,
    `${failed.length} of ${load.runs.length}: ${failed[0]?.fault ?? 'none'}`,
  );
  const posted = Object.values(world.providers)
    .flatMap((provider) => provider.posted)
    .filter((id) => id !== FIRST);
  const runs = load.runs.filter((run) => run.orb === 'send').length;
  const isOnce = new Set(posted).size === posted.length && posted.length === runs;
  journal.check('every POST reached one provider, once', isOnce, `${posted.length} requests for ${runs} runs`);
}

/** What must be true when the callers have gone. */
export async function finalChecks(stage: Stage): Promise<void> {
  checkRuns(stage);
  for (const of of ORBS) {
    const swaps = stage.orbs.swapsOf(of.name);
    await checkEvents(stage, swaps.length, of);
    await checkChain(stage, swaps, of);
    for (const swap of swaps) await checkReceipt(stage, swap, of);
  }
}
