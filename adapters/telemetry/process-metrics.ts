import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of a process that does not execute runs; `serveMetrics` serves it. */
export interface ProcessMetrics {
  readonly registry: Registry;
  readonly slices: () => AsyncGenerator<string>;
}

/** A registry with Node's metrics and `orb_build_info`. @param version of the platform */
export function createProcessMetrics(version: string): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'orb_build_info',
    help: 'Version of the platform and of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.version }, 1);
  return {
    registry,
    slices: async function* slices() {
      yield `${await registry.metrics()}\n`;
    },
  };
}
