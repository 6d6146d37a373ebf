import { expect } from 'chai';
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { listAt, member } from '../../../../core/json/members.ts';
import { keys } from '../../core/verify/a-world.ts';
import { CASES, type Case } from './certificate-cases.ts';

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const parsed = (text: string): JsonObject => objectOf(JSON.parse(text));
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The certificate in a file, and the signed keys document beside or in it. */
function partsOf({ name, content, keys: keysFile = '{}' }: Case): { readonly jwt: string; readonly keysJws: string } {
  if (name.endsWith('.json')) {
    const { jws, keys_jws: keysJws } = parsed(content);
    return { jwt: textOf(jws), keysJws: textOf(keysJws) };
  }
  const keysJws = textOf(parsed(keysFile)['jws']);
  const jwt = name.endsWith('.svg') ? (/<orb:certificate[^>]*>([^<]*)</.exec(content)?.[1] ?? '') : content.trim();
  return { jwt, keysJws };
}

/** Verifies with a key of this JWK. @returns the payload @throws Error jose refuses it */
async function opened(jws: string, jwk: JsonObject): Promise<JsonObject> {
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: textOf(jwk['x']), alg: 'Ed25519' });
  const { payload } = await compactVerify(jws, key, { algorithms: ['Ed25519'] });
  return parsed(Buffer.from(payload).toString('utf8'));
}

/** The certificate or status list, verified from the root on: first the keys document, then with its key. */
async function certified(jwt: string, keysJws: string): Promise<JsonObject> {
  const document = await opened(keysJws, { ...keys.root.jwk });
  const { kid } = decodeProtectedHeader(jwt);
  const key = listAt(document, 'keys').find(
    (one) => member(one, 'kid') === kid && member(one, 'role') === 'certificate',
  );
  return opened(jwt, objectOf(member(key, 'jwk')));
}

const isGood = ({ expected: [verdict] }: Case): boolean => verdict === 'valid';
const formsOf = (cases: readonly Case[]): readonly string[] => [
  ...new Set(cases.map(({ name }) => name.slice(name.lastIndexOf('.')))),
];

describe('jose, which shares no code with orb verify', () => {
  for (const some of CASES.filter(isGood))
    it(`verifies ${some.what}`, async () => {
      const { jwt, keysJws } = partsOf(some);
      const credential = await certified(jwt, keysJws);
      expect(credential['type']).to.deep.equal(['VerifiableCredential', 'OrbCertificationCredential']);
      if (some.list === undefined) return;
      const list = await certified(some.list.trim(), keysJws);
      expect(list['type']).to.deep.equal(['VerifiableCredential', 'BitstringStatusListCredential']);
    });

  const broken = CASES.filter(({ expected: [, code], list }) => code === 'signature' && list === undefined);
  for (const some of broken)
    it(`refuses ${some.what}`, async () => {
      const { jwt, keysJws } = partsOf(some);
      const fault: unknown = await certified(jwt, keysJws).catch((error: unknown) => error);
      expect(fault).to.have.property('code', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
    });

  it('sees good and broken ones of every form', () => {
    expect(formsOf(CASES.filter(isGood))).to.have.members(['.json', '.jwt', '.jws', '.svg']);
    expect(formsOf(broken)).to.have.members(['.jwt', '.svg']);
  });
});
