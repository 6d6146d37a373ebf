import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { createTenant, installPlatform, PLATFORM_FILES, untilServed } from '../../hack/control-plane/install.ts';
import { startPrepared, type Preparation } from '../../hack/control-plane/prepared.ts';

const TENANTS = ['tenant-a', 'tenant-b'] as const;

/** Everything as it ships, and two namespaces with an admin each. */
const PLATFORM: Preparation = {
  name: 'platform',
  inputs: [...PLATFORM_FILES, import.meta.filename],
  install: async (plane) => {
    await installPlatform(plane);
    for (const name of TENANTS) await createTenant(plane, name, plane.users[name].username);
  },
};

/** A control plane with everything installed as it ships, and the namespaces `tenant-a` and `tenant-b` with an admin each. */
export async function startPlatformPlane(): Promise<ControlPlane> {
  // Ends by `exit`, so that the servers are killed with this process.
  process.once('SIGTERM', () => process.exit(143));
  const plane = await startPrepared(PLATFORM);
  try {
    await untilServed(plane);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
