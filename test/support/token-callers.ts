import { SecretApiKeys } from '../../adapters/api-keys/secret-api-keys.ts';
import type { AppliedObject } from '../../adapters/kube/port.ts';
import { createAuthentication } from '../../api-server/cluster/authenticate.ts';
import { TokenReviewer } from '../../api-server/cluster/token-reviewer.ts';
import type { Authenticate, AuthResult, AccessSubject } from '../../api-server/http/authorise.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { START } from '../unit/adapters/api-keys/contract.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { recordLog } from './kube/runtime-recorders.ts';

/** A token as it says of itself; nobody here checks its signature. */
export const tokenOf = (claims: object, signature = 'cccc'): string =>
  `aaaa.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
export const EXP = START / 1000 + 3600;
export const TOKEN = tokenOf({ aud: ['orb-api'], exp: EXP });
export const USER = { username: 'system:serviceaccount:acme:app', uid: 'u1', groups: ['g'], extra: { k: ['v'] } };
export const EXECUTE: AccessSubject = { scope: 'orbs:execute', orbiset: 'support', namespace: null };

interface Asked {
  readonly kind: string;
  readonly spec: JsonObject;
}

interface Started {
  readonly authenticate: Authenticate;
  readonly wasValid: (header: string) => boolean;
  readonly clock: FakeClock;
  readonly asked: Asked[];
  readonly keys: SecretApiKeys;
  /** What the API server says; changed by tests. */
  readonly server: {
    review: JsonObject;
    allows: (attributes: JsonObject) => boolean;
    away: boolean;
    wait: Promise<void>;
  };
}

const specIn = (object: AppliedObject): JsonObject => (isJsonObject(object['spec']) ? object['spec'] : {});

/** Authentication over an API server whose answers a test chooses. */
export function startTokens(): Started {
  const clock = createFakeClock(START);
  const asked: Asked[] = [];
  const server: Started['server'] = {
    review: { authenticated: true, audiences: ['orb-api'], user: USER },
    allows: () => true,
    away: false,
    wait: Promise.resolve(),
  };
  const reviewer = new TokenReviewer({
    clock,
    client: {
      create: async (_kind, object) => {
        const spec = specIn(object);
        asked.push({ kind: object.kind, spec });
        await server.wait;
        if (server.away) throw new Error('no answer');
        const attributes = isJsonObject(spec['resourceAttributes']) ? spec['resourceAttributes'] : {};
        const status = object.kind === 'TokenReview' ? server.review : { allowed: server.allows(attributes) };
        return { apiVersion: object.apiVersion, kind: object.kind, metadata: { name: '' }, status };
      },
    },
  });
  const keys = new SecretApiKeys({ clock, current: () => true, logger: { warn: () => undefined } });
  const authentication = createAuthentication({
    keys,
    reviewer,
    clock,
    logger: recordLog().logger,
    platformNamespace: 'orb-system',
  });
  return { ...authentication, clock, asked, keys, server };
}

/** Asks as a ServiceAccount. */
export const askWithToken = async (
  { authenticate }: Started,
  wanted: AccessSubject = EXECUTE,
  token = TOKEN,
): Promise<AuthResult> => authenticate(`Bearer ${token}`, '127.0.0.1', () => wanted);

/** The caller of an accepted token. */
export const callerOf = (result: AuthResult): Caller | undefined => (result.kind === 'ok' ? result.caller : undefined);
