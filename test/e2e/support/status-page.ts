import { Agent, request } from 'undici';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { patiently } from './patience.ts';
import { platformKubectl } from './release.ts';

/** An answer of the prober. */
interface StatusAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The pages of the status at the address of the prober's Service. */
export interface StatusPage {
  /** Repeats the request while no answer comes. */
  readonly get: (path?: string) => Promise<StatusAnswer>;
  /** The states of the four services, by their names. */
  readonly services: () => Promise<JsonObject>;
  readonly close: () => Promise<void>;
}

const GET_MS = 10_000;

/** Trusts the authority that the install made for the prober. */
export async function openStatusPage(): Promise<StatusPage> {
  const address = await platformKubectl('get', 'service/orb-status-prober', '-o', 'jsonpath={.spec.clusterIP}');
  const encoded = await platformKubectl('get', 'secret/orb-canary-tls', '-o', String.raw`jsonpath={.data.ca\.crt}`);
  const ca = Buffer.from(encoded, 'base64').toString('utf8');
  const dispatcher = new Agent({ connect: { ca, servername: 'orb-status-prober', timeout: 2000 } });
  const ask = async (path: string): Promise<StatusAnswer> => {
    const answer = await request(`https://${address}${path}`, { dispatcher, signal: AbortSignal.timeout(GET_MS) });
    const value: unknown = await answer.body.json();
    return { status: answer.statusCode, body: isJsonObject(value) ? value : {} };
  };
  const get = (path = '/status'): Promise<StatusAnswer> => patiently(() => ask(path));
  return {
    get,
    services: async () => {
      const { services } = (await get()).body;
      return isJsonObject(services) ? services : {};
    },
    close: () => dispatcher.close(),
  };
}
