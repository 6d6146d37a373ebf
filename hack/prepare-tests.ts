// Makes what the integration tests need besides packages before they start: a build takes longer than a test may.
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { prepareGate } from './charts/gate.ts';
import { findBinaries } from './control-plane/binaries.ts';
import { findTool } from './control-plane/tools.ts';
import { ensureCompiler } from './integration/c-compiler.ts';
import { buildGo, whyNoGo } from './integration/go-program.ts';
import { ensureAlertmanager, ensurePrometheus } from './prometheus/binaries.ts';

const { release } = await findBinaries();
await findTool('helm');
await findTool('glua');
await ensurePrometheus();
await ensureAlertmanager();
await ensureCompiler(console.error);
const root = resolve(import.meta.dirname, '..');
await prepareGate(root, console.error);
const missing = await whyNoGo();
if (missing === undefined) await buildGo(resolve(root, 'test/outsider'), devNull);
else console.error(`${missing}: test/integration/outsider is skipped.`);
console.error(`Kubernetes ${release.kubernetes}, etcd ${release.etcd}, Helm, Prometheus and Alertmanager are there.`);
