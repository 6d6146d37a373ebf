import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { ApiRequest } from '../api/http.ts';
import { namespaceQuery } from '../api/print-answer.ts';
import { usage } from '../io/failure.ts';

export const TIMEOUT_MS = 30_000;

export const DOMAIN: Flag = { name: 'domain', value: 'DOMAIN', text: 'the domain whose TXT record proves the name' };

export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  text: 'tenant that owns the organisation, for keys of several',
};

/** The value of `--domain`. @throws Failure (64) it is missing */
export function domainOf(args: Args): string {
  const domain = args.one('domain');
  if (domain === undefined) throw usage('--domain DOMAIN is missing: such as acme.com for the organisation acme');
  return domain;
}

/** The request for a new challenge. The one before it is void from then on. */
export const claimRequest = (args: Args, domain: string): ApiRequest => ({
  method: 'POST',
  path: `marketplace/orgs${namespaceQuery(args)}`,
  headers: { accept: 'application/json' },
  body: JSON.stringify({ org: args.positionals[0] ?? '', proof: 'dns', domain }),
  timeoutMs: TIMEOUT_MS,
});

/** The path of an organisation, or of what is below it. */
export const orgPath = (args: Args, below = ''): string =>
  `marketplace/orgs/${encodeURIComponent(args.positionals[0] ?? '')}${below}`;
