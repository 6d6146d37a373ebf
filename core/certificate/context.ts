import type { JsonObject } from '../json/json-value.ts';
import { CONTEXT_PATH } from './credential.ts';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

const typed = (iri: string, type: string): JsonObject => ({ '@id': iri, '@type': `${XSD}${type}` });

/**
 * The JSON-LD vocabulary of certificates, served at `/.well-known/orb-context/v1`. It never changes: a new member would get
 * a document of its own. Its terms are not protected, because `evidence` is also a term of the W3C's vocabulary, about
 * the credential itself.
 * @param issuer https origin
 */
export function contextDocument(issuer: string): JsonObject {
  const term = (name: string): string => `${issuer}${CONTEXT_PATH}#${name}`;
  return {
    '@context': {
      OrbCertificationCredential: term('OrbCertificationCredential'),
      manifest_digest: term('manifest_digest'),
      tier: term('tier'),
      tier_status: term('tier_status'),
      reputation_score: typed(term('reputation_score'), 'integer'),
      algorithm: term('algorithm'),
      criteria_met: { '@id': term('criteria_met'), '@container': '@set' },
      evidence: {
        '@id': term('evidence'),
        '@context': {
          log_origin: term('log_origin'),
          tree_size: typed(term('tree_size'), 'integer'),
          root_hash: typed(term('root_hash'), 'base64Binary'),
          as_of: typed(term('as_of'), 'date'),
        },
      },
    },
  };
}
