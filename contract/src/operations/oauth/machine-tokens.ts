import { operation } from '../../operation.ts'
import { array, integer, oneOf, record, text } from '../../shape/index.ts'
import { once } from './tokens.ts'

/** A partner program authenticates with the secret of a key, or with a JWT that its private key signs. */
const client = {
  client_id: once({ max: 128 }).about('Key id of a partner. Optional with an assertion.'),
  client_secret: once({ max: 256 }),
  client_assertion_type: once({ max: 128 }).about(
    '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: once({ max: 16_384 }).about(
    'JWT signed with ES256, RS256 or EdDSA. iss and sub: key id; aud: URL of this endpoint; iat; exp within one hour; jti: unique.',
  ),
}

const open = { family: 'oauth', who: ['anyone'], scope: 'never' } as const
const form = { ...open, bodyKind: 'form' } as const

export const machineTokens = {
  issueMachineToken: operation('POST /v1/oauth2/token', form, {
    summary:
      'Issue a token for a partner program, valid for 15 minutes, with the rights of its key. Basic authentication is not supported.',
    body: record({ grant_type: once({ max: 64 }).about('`client_credentials`.'), ...client }).named(
      'MachineTokenRequest',
    ),
    output: record({
      access_token: text({ min: 1 }),
      token_type: oneOf('Bearer'),
      expires_in: integer().about('Seconds.'),
    }).named('MachineToken'),
    errors: ['oauthAssertionUsed'],
  }),
  revokeMachineToken: operation('POST /v1/oauth2/revoke', form, {
    summary: 'Revoke a token of the calling key (RFC 7009). An unknown token is not an error.',
    body: record({
      token: once({ max: 256 }),
      token_type_hint: once({ max: 64 }).about('Optional and ignored.'),
      ...client,
    }).named('MachineTokenRevocation'),
    output: record({}).named('MachineTokenRevoked'),
    errors: ['oauthAssertionUsed'],
  }),
  getMachineMetadata: operation('GET /.well-known/oauth-authorization-server/v1', open, {
    summary: 'Get the authorization server metadata for partner programs (RFC 8414).',
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
  }),
}
