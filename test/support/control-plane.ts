import { after } from 'mocha';
import { startControlPlane, type ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { createTenant, installPlatform } from '../../hack/control-plane/install.ts';

let shared: Promise<ControlPlane> | undefined;

async function start(): Promise<ControlPlane> {
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

/**
 * The control plane that the test files of one run share: started at the first call, with everything installed as it
 * ships, and the namespaces `tenant-a` and `tenant-b` with an admin each. Stopped after the last test. A test uses
 * namespaces of its own and removes what it made; one that kills servers starts its own control plane.
 */
export function sharedControlPlane(): Promise<ControlPlane> {
  shared ??= start();
  return shared;
}

after(async function stopControlPlane() {
  // A start that failed has stopped what it started, and its test has said so.
  const plane = await shared?.catch(() => undefined);
  await plane?.stop();
});
