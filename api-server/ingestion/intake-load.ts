import { admissionLimits, type Pressure } from '../http/admission.ts';

/** The present load of the process, as deliveries see it. */
export interface IntakePressure extends Pressure {
  /** Share of the ledger's volume that is used, 0 to 1. */
  readonly volumeUsed: () => number;
}

/** At this share of the volume no delivery is taken: the rest is for runs (ingestion.md §6). */
const VOLUME_USED = 0.9;

/** Deliveries are refused at half the load at which runs are: runs come first. */
const SHARE = 0.5;

/** Whether the process has too much work, or too little room, to take deliveries. */
export const isIntakeClosed = ({ ledger, loopDelayMs, volumeUsed }: IntakePressure): boolean => {
  const { queuedRows, oldestMs } = ledger();
  return (
    queuedRows >= SHARE * admissionLimits.queuedRows ||
    oldestMs >= SHARE * admissionLimits.shedAfterMs ||
    loopDelayMs() >= SHARE * admissionLimits.loopDelayMs ||
    volumeUsed() >= VOLUME_USED
  );
};
