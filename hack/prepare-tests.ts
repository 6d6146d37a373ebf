// Makes what the integration tests need besides packages before they start: a build takes longer than a test may.
import { resolve } from 'node:path';
import { prepareGate } from './charts/gate.ts';
import { findBinaries } from './control-plane/binaries.ts';
import { findTool } from './control-plane/tools.ts';
import { ensurePrometheus } from './prometheus/binaries.ts';

const { release } = await findBinaries();
await findTool('helm');
await findTool('glua');
await ensurePrometheus();
await prepareGate(resolve(import.meta.dirname, '..'), console.error);
console.error(`Kubernetes ${release.kubernetes}, etcd ${release.etcd}, Helm and Prometheus are there.`);
