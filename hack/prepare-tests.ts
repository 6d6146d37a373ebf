// What the integration tests need besides packages, made before they start: a build takes longer than any test may.
import { findBinaries } from './control-plane/binaries.ts';
import { findTool } from './control-plane/tools.ts';

const { release } = await findBinaries();
await findTool('helm');
console.error(`Kubernetes ${release.kubernetes}, etcd ${release.etcd} and Helm are there.`);
