// What the integration tests need besides packages, made before they start: a build takes longer than any test may.
import { findBinaries } from './control-plane/binaries.ts';
import { findTool } from './control-plane/tools.ts';
import { ensurePrometheus } from './prometheus/binaries.ts';

const { release } = await findBinaries();
await findTool('helm');
await ensurePrometheus();
console.error(`Kubernetes ${release.kubernetes}, etcd ${release.etcd}, Helm and Prometheus are there.`);
