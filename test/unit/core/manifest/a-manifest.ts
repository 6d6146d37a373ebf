import type { JsonObject } from '../../../../core/json/json-value.ts';

/** The mail example of design.md §2 with the specification's members alone. */
export const mail: JsonObject = {
  orb_id: 'acme.send-email@1.0.0',
  provider: 'sendgrid',
  description: 'Sends one e-mail.',
  inputs: {
    recipient: { type: 'string', required: true },
    sender: { type: 'string', default: '{{orbiset.secrets.MAIL_FROM}}' },
    subject: { type: 'string', required: true },
    body: { type: 'string', required: true },
  },
  outputs: { message_id: { type: 'string' }, status: { type: 'string' } },
  execution: {
    type: 'http',
    method: 'POST',
    url: 'https://api.sendgrid.com/v3/mail/send',
    headers: { Authorization: 'Bearer {{orbiset.secrets.SENDGRID_API_KEY}}', 'Content-Type': 'application/json' },
    body_template:
      '{"personalizations":[{"to":[{"email":"{{inputs.recipient}}"}]}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}]}',
  },
};

/** A small manifest with an execution of these members, and other members over it. */
export const aManifest = (execution: JsonObject = {}, members: JsonObject = {}): JsonObject => ({
  orb_id: 'acme.echo@1.0.0',
  provider: 'main',
  description: 'Echoes.',
  inputs: {},
  outputs: {},
  execution: { url: 'https://orbs.example/run', ...execution },
  ...members,
});
