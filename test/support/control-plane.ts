import { after } from 'mocha';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { startPlatformPlane } from './platform-plane.ts';

let shared: Promise<ControlPlane> | undefined;

/**
 * The control plane that the test files of one run share. It starts at the first call, with everything installed as it
 * ships, and stops after the last test. Its namespaces `tenant-a` and `tenant-b` have an admin each. A test uses its
 * own namespaces and removes what it made; a test that kills servers starts its own control plane.
 */
export function sharedControlPlane(): Promise<ControlPlane> {
  shared ??= startPlatformPlane();
  return shared;
}

after(async function stopControlPlane() {
  // A failed start has stopped what it started, and its test has reported the failure.
  const plane = await shared?.catch(() => undefined);
  await plane?.stop();
});
