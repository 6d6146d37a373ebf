import type { Verdict } from '../../core/verify/verdict.ts';
import { newerKeys, type NewerKeys } from '../verdict/remember-keys.ts';
import { lineJudge, type LineSettings } from './judge-line.ts';
import { linesOf, type LineBatch } from './line-batches.ts';
import { lineText, NO_LINES, verdictOfLine, type BatchVerdicts } from './verdicts.ts';

/** Settings of the verdicts and of their form. */
export interface BatchSettings extends LineSettings {
  readonly isJson: boolean;
}

/** Judges batches of lines; never rejects. */
export type JudgeBatch = (batch: LineBatch) => Promise<BatchVerdicts>;

/** Makes what judges batches on this thread. */
export async function batchJudge(settings: BatchSettings): Promise<JudgeBatch> {
  const newer: NewerKeys[] = [];
  const judge = await lineJudge(settings, (keys) => {
    const found = newerKeys(keys, settings.believed);
    if (found !== undefined) newer.push(found);
  });
  return async (batch) => {
    const counts: Record<Verdict, number> = { ...NO_LINES };
    let text = '';
    for (const [number, line] of linesOf(batch)) {
      const judged = await judge(line);
      counts[verdictOfLine(judged)] += 1;
      text += lineText(number, judged, settings.isJson);
    }
    return { text, counts, newer: newer.splice(0) };
  };
}
