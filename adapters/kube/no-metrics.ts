import type { KubeMetrics } from './port.ts';

const nothing = (): void => undefined;

/** Metrics of a program without a metrics endpoint: they are dropped. No metrics library is loaded. */
export const noKubeMetrics: KubeMetrics = {
  request: nothing,
  listed: nothing,
  watchRestarted: nothing,
  watchStalled: nothing,
  historyRewound: nothing,
  cache: nothing,
};
