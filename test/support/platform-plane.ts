import { startControlPlane, type ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { createTenant, installPlatform } from '../../hack/control-plane/install.ts';

/** A control plane with everything installed as it ships, and the namespaces `tenant-a` and `tenant-b` with an admin each. */
export async function startPlatformPlane(): Promise<ControlPlane> {
  const plane = await startControlPlane();
  // Ends by `exit`, so that the servers are killed with this process.
  process.once('SIGTERM', () => process.exit(143));
  try {
    await installPlatform(plane);
    await createTenant(plane, 'tenant-a', plane.users['tenant-a'].username);
    await createTenant(plane, 'tenant-b', plane.users['tenant-b'].username);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
