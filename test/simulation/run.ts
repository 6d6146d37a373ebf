import { ROWS, runRow } from './rows.ts';
import type { Summary } from './summary.ts';

const HEAD = [
  '| Row | swaps mean (min–max) | detection s mean / max (found) | failback s mean / max | slow % | error % |',
  '|---|---|---|---|---|---|',
];

function line(title: string, { swaps, detection, failback, seeds, slowPercent, errorPercent }: Summary): string {
  const cells = [
    title,
    `${swaps.mean.toFixed(2)} (${swaps.min}–${swaps.max})`,
    `${detection.mean.toFixed(0)} / ${detection.max} (${detection.found}/${seeds})`,
    `${failback.mean.toFixed(0)} / ${failback.max}`,
    slowPercent.toFixed(0),
    errorPercent.toFixed(2),
  ];
  return `| ${cells.join(' | ')} |`;
}

process.stdout.write([...HEAD, ...ROWS.map((row) => line(row.title, runRow(row)))].map((text) => `${text}\n`).join(''));
