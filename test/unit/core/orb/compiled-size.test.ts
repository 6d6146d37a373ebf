import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { orbAt } from '../../../../hack/bench/operator/orbs.ts';

const ORBS = 2000;
const MAX_BYTES = 7500;

/** The manifest of an Orb of ordinary size, 1 kB, in memory of its own. */
function manifestAt(index: number): JsonValue {
  const value: unknown = JSON.parse(JSON.stringify(orbAt(index, 0)));
  return isJsonObject(value) ? (value['spec'] ?? null) : null;
}

const compile = (manifest: JsonValue): unknown => compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });

/** Bytes of the heap that are in use. */
function livingBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}

describe('a compiled Orb', () => {
  it(`keeps at most ${MAX_BYTES} bytes beside its manifest: nothing of how it was compiled`, function slow() {
    this.timeout(20_000);
    const manifests = Array.from({ length: ORBS }, (_, index) => manifestAt(index));
    expect(compile(manifests[0] ?? null)).to.have.property('ok', true);
    const before = livingBytes();
    const compiled = manifests.map(compile);
    const each = (livingBytes() - before) / ORBS;
    expect(compiled).to.have.length(ORBS);
    expect(each).to.be.within(1000, MAX_BYTES);
  });
});
