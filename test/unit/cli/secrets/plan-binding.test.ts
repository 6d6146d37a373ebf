import { expect } from 'chai';
import fc from 'fast-check';
import { jsonPatched } from '../../../../adapters/object-store/json-patch.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { bindingsOf } from '../../../../cli/secrets/bindings.ts';
import {
  placeOfEntry,
  planBinding,
  planUnbinding,
  type PatchOperation,
  type WantedEntry,
} from '../../../../cli/secrets/plan-binding.ts';

const wanted: WantedEntry = { entry: 'KEY', secret: 's', key: 'KEY', hosts: ['a.example'], replacesHosts: false };
const vault = (...secrets: readonly JsonValue[]): JsonObject => ({ spec: { vault: { secrets } } });
const bound = (keys?: JsonValue, hosts: readonly string[] = ['a.example']): JsonValue => ({
  name: 's',
  allowedHosts: [...hosts],
  ...(keys === undefined ? {} : { keys }),
});
const other: JsonValue = { name: 'other', allowedHosts: ['*'], keys: ['ELSE'] };
const applied = (orbiset: JsonObject, operations: readonly PatchOperation[]): JsonObject => {
  const patched = jsonPatched(
    orbiset,
    operations.map((operation) => ({ ...operation })),
  );
  return isJsonObject(patched) ? patched : {};
};

describe('planBinding', () => {
  const patches: readonly [string, JsonObject, WantedEntry, JsonObject][] = [
    ['an Orbiset without a spec', {}, wanted, vault(bound(['KEY']))],
    ['a spec without a vault', { spec: {} }, wanted, vault(bound(['KEY']))],
    ['a vault without Secrets', { spec: { vault: {} } }, wanted, vault(bound(['KEY']))],
    ['Secrets of others', vault(other), wanted, vault(other, bound(['KEY']))],
    ['the same Secret with another key', vault(other, bound(['A'])), wanted, vault(other, bound(['A', 'KEY']))],
    ['a map of keys', vault(bound({ A: 'b' })), wanted, vault(bound({ A: 'b', KEY: 'KEY' }))],
    [
      'other hosts of the only entry',
      vault(bound(['KEY'], ['b.example'])),
      wanted,
      vault(bound(['KEY'], ['b.example', 'a.example'])),
    ],
    [
      'the hosts that are replaced',
      vault(bound(['KEY'], ['b.example', 'a.example'])),
      { ...wanted, replacesHosts: true },
      vault(bound(['KEY'])),
    ],
    ['a key of another name', vault(), { ...wanted, key: 'k' }, vault(bound({ KEY: 'k' }))],
  ];
  for (const [why, orbiset, entry, expected] of patches) {
    it(`adds what is missing to ${why}, and nothing the second time`, () => {
      const plan = planBinding(orbiset, entry);
      const after = applied(orbiset, plan.kind === 'patch' ? plan.operations : []);
      expect(after).to.deep.equal(expected);
      expect(planBinding(after, entry)).to.deep.equal({ kind: 'bound' });
    });
  }

  it('does nothing where all keys are bound for these hosts, in whatever order', () => {
    const hosts = ['b.example', 'a.example'];
    const orbiset = vault(bound(undefined, ['a.example', 'b.example']));
    expect(planBinding(orbiset, { ...wanted, hosts })).to.deep.equal({ kind: 'bound' });
  });

  const conflicts: readonly [string, JsonObject, WantedEntry, string][] = [
    ['hosts that other keys share', vault(bound(['KEY', 'A'], ['b.example'])), wanted, 'share these hosts'],
    ['hosts where all keys are bound', vault(bound(undefined, ['b.example'])), wanted, 'share these hosts'],
    ['an entry that another Secret gives', vault({ ...other, keys: ['KEY'] }), wanted, 'count as missing'],
    ['an entry that means another key', vault(bound({ KEY: 'x' })), wanted, 'the key x of the Secret s'],
  ];
  for (const [why, orbiset, entry, message] of conflicts) {
    it(`refuses to change ${why}`, () => {
      const plan = planBinding(orbiset, entry);
      expect(plan.kind === 'conflict' && plan.message).to.include(message);
    });
  }

  it('names the Secret that each position is about: a list that moved is not patched', () => {
    const plan = planBinding(vault(other, bound(['A'])), wanted);
    const operations = plan.kind === 'patch' ? plan.operations : [];
    expect(() => applied(vault(bound(['A']), other), operations)).to.throw('test');
  });
});

describe('planUnbinding', () => {
  const cases: readonly [string, JsonObject, JsonObject][] = [
    ['the Secret with its last entry', vault(other, bound(['KEY'])), vault(other)],
    ['one of a list', vault(bound(['A', 'KEY', 'B'])), vault(bound(['A', 'B']))],
    ['one of a map', vault(bound({ A: 'b', KEY: 'k' })), vault(bound({ A: 'b' }))],
    ['nothing that is not bound by name', vault(other, bound()), vault(other, bound())],
  ];
  for (const [why, orbiset, expected] of cases) {
    it(`takes out ${why}`, () => expect(applied(orbiset, planUnbinding(orbiset, 'KEY'))).to.deep.equal(expected));
  }

  it('takes out what planBinding put in, and nothing else', () => {
    const name = fc.stringMatching(/^[A-Z]{1,3}$/);
    const keys = fc.uniqueArray(name, { minLength: 1, maxLength: 4 });
    const secrets = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-r]{1,2}$/), keys), { selector: ([key]) => key });
    fc.assert(
      fc.property(secrets, (list) => {
        const before = vault(
          ...list.map(([secret, names]) => ({ name: secret, allowedHosts: ['*'], keys: [...names] })),
        );
        const fresh = { ...wanted, entry: 'NEW-KEY', key: 'NEW-KEY', secret: 'zz' };
        const plan = planBinding(before, fresh);
        const after = applied(before, plan.kind === 'patch' ? plan.operations : []);
        expect(bindingsOf(after).length).to.equal(list.length + 1);
        expect(applied(after, planUnbinding(after, 'NEW-KEY'))).to.deep.equal(before);
      }),
    );
  });
});

describe('placeOfEntry', () => {
  const rows: readonly [string, JsonObject | undefined, string, string | undefined, unknown][] = [
    ['a Secret named after it', undefined, 'SENDGRID_API_KEY', undefined, ['sendgrid-api-key', 'SENDGRID_API_KEY']],
    ['the Secret that binds it', vault(bound({ KEY: 'k' })), 'KEY', undefined, ['s', 'k']],
    ['the Secret that is named', vault(bound(['KEY'])), 'KEY', 'mine', ['mine', 'KEY']],
    ['the key that the named Secret binds', vault(bound({ KEY: 'k' })), 'KEY', 's', ['s', 'k']],
    ['no name where none can be made', undefined, '..', undefined, ['', '..']],
  ];
  for (const [why, orbiset, entry, named, expected] of rows) {
    it(`is ${why}`, () => {
      const { secret, key } = placeOfEntry(orbiset, entry, named);
      expect([secret, key]).to.deep.equal(expected);
    });
  }
});
