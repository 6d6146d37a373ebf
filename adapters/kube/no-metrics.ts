import type { KubeMetrics } from './port.ts';

const nothing = (): void => undefined;

/** For a program that nobody scrapes. It loads no library of metrics. */
export const noKubeMetrics: KubeMetrics = {
  request: nothing,
  listed: nothing,
  watchRestarted: nothing,
  watchStalled: nothing,
  historyRewound: nothing,
  cache: nothing,
};
