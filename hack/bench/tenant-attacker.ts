// The attacker of `npm run bench tenants`: `node hack/bench/tenant-attacker.ts SETTINGS` attacks until it is stopped.
import { attackOf } from './tenants/attacks.ts';
import type { AttackSettings } from './tenants/parts.ts';

const isSettings = (value: unknown): value is AttackSettings =>
  typeof value === 'object' && value !== null && 'attack' in value && 'key' in value && 'ratedKeys' in value;

const settings: unknown = JSON.parse(process.argv[2] ?? '');
if (!isSettings(settings)) throw new TypeError('the settings of the attacker are expected');
process.stdout.write('{"started":true}\n');
await attackOf(settings.attack).run(settings);
