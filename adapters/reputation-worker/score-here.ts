import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckedOrb, OrbToCheck, Scorer } from './port.ts';
import { ScoreDesk, type EvidenceSource } from './score-desk.ts';

/** Computes scores on the caller's thread, over a ledger that has no file of its own or is small. */
export function scoreHere(source: EvidenceSource): Scorer {
  const desk = new ScoreDesk(source);
  const check = async (orb: OrbToCheck, signal: AbortSignal): Promise<CheckedOrb> => {
    await desk.beginCheck(orb);
    for (;;) {
      signal.throwIfAborted();
      const checked = await desk.stepCheck();
      if (checked !== null) return checked;
      await nextTurn();
    }
  };
  return {
    score: (line) => desk.score(line),
    count: (window) => desk.count(window),
    check,
    close: () => Promise.resolve(),
  };
}
