import { expect } from 'chai';
import { createWrongClock, clockFaults, type ClockFault } from '../../../../support/wrong-clock.ts';
import { OrbFailovers } from '../../../../../api-server/runtime/failover/orb-failovers.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../../core/orb/compile-orb.ts';
import { orbManifest } from '../../../../support/orbs.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const STEP_MS = 250;
const STEPS = 400;

const none = (): void => undefined;

/** Of a provider that fails whenever it is asked: was it, step by step? */
async function asked(fault: ClockFault): Promise<readonly boolean[]> {
  const clock = createWrongClock(START, fault);
  const metrics = { provider: () => ({ attempt: none, transportError: none, probe: none, breaker: none }) };
  const state = new OrbFailovers({ clock, random: () => 0, metrics, isThere: () => true });
  const manifest: unknown = JSON.parse(orbManifest('acme.a@1.0.0', { url: 'https://a.example.com/' }));
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  const failover = state.of(compiled.value);
  const seen: boolean[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const ticket = failover.admit('main');
    seen.push(ticket !== undefined);
    if (ticket !== undefined) failover.report('main', ticket, 'bad');
    await clock.advance(STEP_MS);
  }
  return seen;
}

describe('breaker whose clock goes wrong (reliability.md §4.1, R8)', () => {
  for (const [what, fault] of Object.entries(clockFaults(5000)))
    it(`opens and asks again as with a right one when it ${what}`, async () => {
      const right = await asked(() => 0);
      expect(right.filter(Boolean).length).to.be.within(6, 20);
      expect(await asked(fault)).to.deep.equal(right);
    });
});
