import { expect } from 'chai';
import { SecretApiKeys } from '../../../../adapters/api-keys/secret-api-keys.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { apiKeyContract, makeKey, START } from './contract.ts';

/** The form of a GET from the API server: `data` in base64, and no `stringData`. */
function stored({ stringData, ...rest }: JsonObject): JsonObject {
  const texts = isJsonObject(stringData) ? Object.entries(stringData) : [];
  const data = Object.fromEntries(
    texts.map(([key, text]) => [key, Buffer.from(typeof text === 'string' ? text : '').toString('base64')]),
  );
  return { ...rest, data };
}

apiKeyContract('SecretApiKeys', async (clock) => {
  const logged: string[] = [];
  let current = true;
  const keys = new SecretApiKeys({
    clock,
    current: () => current,
    logger: { warn: (message) => void logged.push(message) },
  });
  return {
    authenticate: keys.authenticate,
    keys: keys.keys,
    put: async (name, document) => keys.put(name, stored(document)),
    remove: async (name) => keys.remove(name),
    away: async (away) => void (current = !away),
    logged: () => logged,
    close: async () => undefined,
  };
});

describe('SecretApiKeys', () => {
  it('reads a Secret of a LIST, which names neither kind nor version', () => {
    const keys = new SecretApiKeys({
      clock: { now: () => START },
      current: () => true,
      logger: { warn: () => undefined },
    });
    const { text, document } = makeKey();
    const { kind: _kind, apiVersion: _version, ...item } = stored(document);
    keys.put('one', item);
    expect(keys.authenticate(`Bearer ${text}`, '127.0.0.1').kind).to.equal('ok');
  });

  it('never writes what a broken Secret holds into the log', () => {
    const said: string[] = [];
    const keys = new SecretApiKeys({
      clock: { now: () => START },
      current: () => true,
      logger: { warn: (message, fields) => void said.push(`${message} ${JSON.stringify(fields)}`) },
    });
    const { document } = makeKey();
    keys.put('one', { ...stored(document), data: { sha256: Buffer.from('canary-value').toString('base64') } });
    expect(said).to.have.length(1);
    expect(said[0]).to.not.match(/canary|Y2FuYXJ5/);
  });
});
