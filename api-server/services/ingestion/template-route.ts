import type { JsonObject } from '../../../core/json/json-value.ts';
import { customBlock } from '../../../core/ingestion/source/custom-block.ts';
import type { VendorTemplate } from '../../../core/ingestion/vendors/template.ts';
import { CUSTOM_BLOCKS, VENDORS } from '../../../core/ingestion/vendors/vendors.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { parsedObject } from './parsed-object.ts';
import { closed } from '../../http/schemas.ts';

const TEMPLATES: Readonly<Record<string, VendorTemplate>> = { ...VENDORS, ...CUSTOM_BLOCKS };

/** The types of vendors have their verification and mapping in themselves. */
const NO_BLOCK: JsonObject = {};

function template(request: RouteRequest): Reply {
  const { vendor = '' } = request.params;
  const found = Object.hasOwn(TEMPLATES, vendor) ? TEMPLATES[vendor] : undefined;
  if (found === undefined) return problem(request, 'template-not-found');
  const isCustom = Object.hasOwn(CUSTOM_BLOCKS, vendor);
  const { auth, mapping } = isCustom ? parsedObject(JSON.stringify(customBlock(found))) : NO_BLOCK;
  return json({
    vendor,
    type: isCustom ? 'custom' : vendor,
    media_types: [...found.mediaTypes],
    scheme: found.scheme.kind,
    payload: found.payload ?? null,
    auth: auth ?? null,
    mapping: mapping ?? null,
  });
}

const schema = closed({
  vendor: { type: 'string' },
  type: { type: 'string', description: 'Type of the OrbSignalSource.' },
  media_types: { type: 'array', items: { type: 'string' } },
  scheme: { type: 'string', description: 'How deliveries are verified by default.' },
  payload: { type: ['string', 'null'], description: 'Text to paste at the vendor; null: it has a form of its own.' },
  auth: { type: ['object', 'null'], description: 'spec.auth for type custom, without its secretRefs.' },
  mapping: { type: ['object', 'null'], description: 'spec.mapping for type custom.' },
});

/** `GET /signal-templates/{vendor}` (docs/design/ingestion.md §6). */
export const templateRoute = (): Route => ({
  method: 'get',
  path: '/signal-templates/{vendor}',
  scope: 'authenticated',
  handle: (request) => Promise.resolve(template(request)),
  operation: {
    operationId: 'getSignalTemplate',
    summary: 'What to paste at a vendor, or into a source of type custom',
    tags: ['ingestion'],
    parameters: [
      {
        name: 'vendor',
        in: 'path',
        description: 'A type of OrbSignalSource, or github, slack, stripe, sendgrid.',
        schema: { type: 'string', maxLength: 32 },
      },
    ],
    responses: { '200': { description: 'The template.', content: { 'application/json': { schema } } } },
    problems: ['template-not-found'],
  },
});
