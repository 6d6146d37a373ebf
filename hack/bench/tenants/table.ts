import { ATTACKS } from './attacks.ts';
import { GOAL, type Measured, type TenantRow } from './measure.ts';

const HEADER =
  '| beside | calls | refused | p50 ms | p99 ms | max ms | p99 ÷ share | caller late p99/max ms | more MB | goal |';

const statuses = ({ refused }: Measured): string =>
  Object.entries(refused)
    .map(([status, count]) => `${count}×${status}`)
    .join(' ');

/** Markdown. A goal is for attacks only. */
export function tenantTable(rows: readonly { readonly measured: Measured; readonly row: TenantRow }[]): string {
  const lines = rows.map(({ row, measured: one }) => {
    const { p50, p99, max, ratio, moreMb, met, calls } = row;
    const late = `${one.late.p99.toFixed(1)} / ${one.late.max.toFixed(0)}`;
    const goal = one.attack === 'share' ? '' : met ? 'met' : 'missed';
    const times = [p50, p99, max].map((ms) => ms.toFixed(0)).join(' | ');
    return `| ${ATTACKS[one.attack].what} | ${calls} | ${row.refused === 0 ? 0 : statuses(one)} | ${times} | ${ratio.toFixed(2)} | ${late} | ${moreMb} | ${goal} |`;
  });
  const goal = `Goal: p99 ≤ ${GOAL.timesSlower} × that beside a tenant that fills its share, and ≤ ${GOAL.ms} ms; 0 refused.`;
  return [HEADER, `|${'---|'.repeat(10)}`, ...lines, '', goal].join('\n');
}
