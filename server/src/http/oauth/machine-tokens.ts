import { digestOf } from '@quipu/broker/access/credentials.ts'
import { ALGORITHMS } from '@quipu/broker/access/public-key.ts'
import { newCredential } from '@quipu/broker/access/world-code.ts'
import type { Command } from '@quipu/core'
import { definedFields, found, SECOND } from '@quipu/core/values'
import { publicUrlOf } from '../connection/host.ts'
import type { SomeHandlers } from '../context.ts'
import { preventCaching } from './client.ts'
import { authenticateMachine } from './machine-client.ts'
import { machineError } from './machine-errors.ts'

const methods = ['client_secret_post', 'private_key_jwt']

/** OAuth operations for partners' programs, which authenticate with a key. */
export const machineTokenHandlers = {
  issueMachineToken: async ({ body }, context) => {
    preventCaching(context)
    if (body.grant_type === undefined)
      throw machineError('invalid_request', {
        description: 'grant_type is missing',
        fields: ['grant_type'],
      })
    if (body.grant_type !== 'client_credentials')
      throw machineError('unsupported_grant_type', {
        description: 'expected grant_type client_credentials',
      })
    const { world, key, assertion } = await authenticateMachine(body, context)
    const token = newCredential(world.access.code, 'uuid')
    const command: Command = {
      kind: 'issueMachineToken',
      keyId: key.id,
      token: digestOf(token),
      ...definedFields({ assertion }),
    }
    const decision = await context.state.submit(world, command)
    if (!decision.ok) {
      context.state.world = undefined
      context.state.seq = undefined
      throw machineError(decision.reason.code === 'oauthAssertionUsed' ? 'jti_known' : 'invalid_client')
    }
    const issued = found(
      decision.value.find((event) => event.kind === 'machineTokenIssued'),
      'the token',
    )
    const seconds = Number((issued.expiresAt - issued.at) / SECOND)
    return { access_token: token, token_type: 'Bearer', expires_in: seconds }
  },

  revokeMachineToken: async ({ body }, context) => {
    preventCaching(context)
    const { world, key, assertion } = await authenticateMachine(body, context)
    // A used assertion may have been intercepted.
    if (assertion && world.view.assertions.has(assertion.digest)) throw machineError('jti_known')
    if (body.token === undefined)
      throw machineError('invalid_request', { description: 'token is missing', fields: ['token'] })
    const command = { kind: 'revokeMachineToken', keyId: key.id, token: digestOf(body.token) } as const
    await context.state.submit(world, command)
    return {}
  },

  getMachineMetadata: (_, { services }) => {
    const url = publicUrlOf(services)
    return {
      issuer: `${url}/v1`,
      token_endpoint: `${url}/v1/oauth2/token`,
      revocation_endpoint: `${url}/v1/oauth2/revoke`,
      service_documentation: `${url}/docs`,
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
    }
  },
} satisfies SomeHandlers
