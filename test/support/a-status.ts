import { randomBytes } from 'node:crypto';
import { PlatformStatus, type PlatformStatusParts } from '../../api-server/status/platform-status.ts';

/** The status of a platform in namespace `orb-system`; nothing is read before `open`. */
export const aStatus = (
  some: Pick<PlatformStatusParts, 'ledger' | 'clock'> & Partial<PlatformStatusParts>,
): PlatformStatus =>
  new PlatformStatus({
    logger: { warn: () => undefined },
    random: (bytes) => randomBytes(bytes),
    platformNamespace: 'orb-system',
    ...some,
  });
