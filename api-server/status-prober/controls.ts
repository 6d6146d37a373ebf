import { createPlatformClient } from '../../adapters/platform-api/client.ts';
import { hasAddress, shakesHands } from '../../adapters/platform-api/reach.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { ProberSettings } from './settings.ts';

type Control = (signal: AbortSignal) => Promise<boolean>;

/**
 * Whether anything beside the platform answers: one is enough, because a control plane that is away must not hide an
 * outage. @returns undefined: there is nothing to compare with
 */
export function createControls(
  { dnsName, kubeApi, prometheus }: ProberSettings['controls'],
  clock: Pick<Clock, 'monotonic'>,
): Control | undefined {
  const controls: Control[] = [];
  if (dnsName !== undefined) controls.push((signal) => hasAddress(dnsName, signal));
  if (kubeApi !== undefined) controls.push((signal) => shakesHands(kubeApi, signal));
  if (prometheus !== undefined) {
    const client = createPlatformClient({ origin: prometheus, clock });
    controls.push(async (signal) => {
      const { kind } = await client.call({ method: 'GET', path: '/-/healthy' }, signal);
      return kind === 'answered';
    });
  }
  if (controls.length === 0) return undefined;
  return async (signal) => (await Promise.all(controls.map((control) => control(signal)))).includes(true);
}
