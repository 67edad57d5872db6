import { operation } from '../../operation.ts'
import { array, integer, oneOf, record, text } from '../../shape/index.ts'
import { once } from './tokens.ts'

/** A partner's program says who it is: by the secret of a key, or by what only the holder of its private half can sign. */
const client = {
  client_id: once({ max: 128 }).about("A partner's key id. With an assertion it may be left out."),
  client_secret: once({ max: 256 }),
  client_assertion_type: once({ max: 128 }).about(
    '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: once({ max: 16_384 }).about(
    'A JWT by ES256, RS256 or EdDSA with iss and sub the key id, aud the address of this endpoint, iat, exp within an hour, and a jti that serves once.',
  ),
}

const open = { family: 'oauth', who: ['anyone'], scope: 'never', status: 200, state: 'works' } as const
const form = { ...open, method: 'POST', bodyKind: 'form' } as const

export const machineTokens = {
  issueMachineToken: operation({
    ...form,
    path: '/v1/oauth2/token',
    summary:
      "A token for a partner's program: as good as its key, for a quarter of an hour. Basic is not supported here.",
    body: record({ grant_type: once({ max: 64 }).about('`client_credentials`.'), ...client }).named(
      'MachineTokenRequest',
    ),
    output: record({
      access_token: text({ min: 1 }),
      token_type: oneOf('Bearer'),
      expires_in: integer().about('In seconds.'),
    }).named('MachineToken'),
    errors: ['oauthAssertionUsed'],
  }),
  revokeMachineToken: operation({
    ...form,
    path: '/v1/oauth2/revoke',
    summary: 'Gives up a token of the calling key, as RFC 7009 has it; one nobody knows too.',
    body: record({
      token: once({ max: 256 }),
      token_type_hint: once({ max: 64 }).about('Not needed: a token is found by what it is.'),
      ...client,
    }).named('MachineTokenRevocation'),
    output: record({}).named('MachineTokenRevoked'),
    errors: ['oauthAssertionUsed'],
  }),
  getMachineMetadata: operation({
    ...open,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server/v1',
    summary: "Where partners' programs get their tokens, and how, as RFC 8414 has it.",
    output: record({
      issuer: text(),
      token_endpoint: text(),
      revocation_endpoint: text(),
      service_documentation: text(),
      response_types_supported: array(text()),
      grant_types_supported: array(text()),
      token_endpoint_auth_methods_supported: array(text()),
      token_endpoint_auth_signing_alg_values_supported: array(text()),
      revocation_endpoint_auth_methods_supported: array(text()),
      revocation_endpoint_auth_signing_alg_values_supported: array(text()),
    }).named('MachineMetadata'),
    errors: [],
  }),
}
