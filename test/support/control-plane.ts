import { after } from 'mocha';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { startPlatformPlane } from './platform-plane.ts';

let shared: Promise<ControlPlane> | undefined;

/**
 * The control plane that the test files of one run share: started at the first call, with everything installed as it
 * ships, and the namespaces `tenant-a` and `tenant-b` with an admin each. Stopped after the last test. A test uses
 * namespaces of its own and removes what it made; one that kills servers starts its own control plane.
 */
export function sharedControlPlane(): Promise<ControlPlane> {
  shared ??= startPlatformPlane();
  return shared;
}

after(async function stopControlPlane() {
  // A start that failed has stopped what it started, and its test has said so.
  const plane = await shared?.catch(() => undefined);
  await plane?.stop();
});
