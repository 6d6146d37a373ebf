import { closed } from '../../http/schemas.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

/** What a vendor gets for a delivery that is durable. */
const delivery = closed({
  delivery_id: { type: 'string', pattern: `^dlv_${UUID}$`, description: 'Of a duplicate: the id of the first one.' },
  duplicate: { type: 'boolean', description: 'The delivery was accepted before.' },
});

const mixpanel = closed({
  action: { type: 'string', description: 'The action of the delivery.' },
  status: { const: 'success' },
});

export const ingestionSchemas = {
  AcceptedDelivery: { ...delivery },
  AcceptedByMixpanel: { ...mixpanel },
};
