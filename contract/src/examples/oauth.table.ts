import type { CallOf, OutputOf } from '../operations.ts'

const clientId = '7a3c52a910e1dc2abbb14da2b6b8e711'
const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const partnerId = '1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9'
const secretId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000011'
const grantId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000012'
const tokenId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000013'
const at = '2026-11-02T15:10:15.101202303Z'

const settings = {
  client_id: clientId,
  name: 'TradingApp',
  description: 'Charts that trade',
  url: 'https://app.example',
  terms_of_use: '',
  privacy_policy: '',
  status: 'ACTIVE',
  redirect_uri: ['https://app.example/callback'],
  live_trading_approved: false,
  scopes: ['account:write', 'trading', 'data'],
  public: false,
  native: false,
  pkce_required: false,
  allow_direct_token: true,
  token_expires_in: 3600,
  refresh_expires_in: null,
  developer: null,
  owner: partnerId,
  partners: [partnerId],
  created_at: at,
} as const

const secret = { secret_id: secretId, created_at: at, expires_at: null } as const
const headers = {}
const ofClient = { headers, params: { client_id: clientId } } as const

const machine = {
  client_id: 'CK0123456789ABCDEFGH',
  client_secret: 'Zx8Qw2Lm4Np6Rt9Yb1Vc3Xd5Fg7Hj0KsAaBbCcDd',
} as const
const machineToken = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const methods = ['client_secret_post', 'private_key_jwt']
const algorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519']

type Names =
  | 'listOAuthClients'
  | 'createOAuthClient'
  | 'getOAuthClientSettings'
  | 'updateOAuthClient'
  | 'deleteOAuthClient'
  | 'listOAuthClientSecrets'
  | 'createOAuthClientSecret'
  | 'deleteOAuthClientSecret'
  | 'listOAuthGrants'
  | 'deleteOAuthGrant'
  | 'deleteOAuthToken'
  | 'issueMachineToken'
  | 'revokeMachineToken'
  | 'getMachineMetadata'

/** Of apps, for their owners, and of partners' own programs. */
export const oauthClientExamples: {
  readonly [Name in Names]: { readonly input: CallOf<Name>; readonly output: OutputOf<Name> }
} = {
  listOAuthClients: { input: { headers, query: { limit: 100 } }, output: [settings] },
  createOAuthClient: {
    input: {
      headers,
      body: {
        name: 'TradingApp',
        description: 'Charts that trade',
        url: 'https://app.example',
        redirect_uri: ['https://app.example/callback'],
        token_expires_in: 3600,
      },
    },
    output: { ...settings, client_secret: '9bf1f2d46a35bb0c67a27f17b0b5b8fd7ba14e01' },
  },
  getOAuthClientSettings: { input: ofClient, output: settings },
  updateOAuthClient: {
    input: { ...ofClient, body: { description: 'Charts that trade and rest', token_expires_in: null } },
    output: { ...settings, description: 'Charts that trade and rest', token_expires_in: null },
  },
  deleteOAuthClient: { input: ofClient, output: undefined },
  listOAuthClientSecrets: { input: ofClient, output: [secret] },
  createOAuthClientSecret: {
    input: { ...ofClient, body: { others_expire_in: 86400 } },
    output: { ...secret, client_secret: '40d2c7f06b6d9f0c5d5c3c3a6a3f52cb4a1be0a9' },
  },
  deleteOAuthClientSecret: {
    input: { headers, params: { client_id: clientId, secret_id: secretId } },
    output: undefined,
  },
  listOAuthGrants: {
    input: { headers, query: { account_id: accountId } },
    output: [
      {
        grant_id: grantId,
        client_id: clientId,
        name: 'TradingApp',
        user_id: null,
        live_account_id: null,
        paper_account_id: accountId,
        scope: 'trading',
        created_at: at,
        last_used_at: at,
        tokens: [{ token_id: tokenId, kind: 'access', created_at: at, expires_at: null }],
      },
    ],
  },
  deleteOAuthGrant: { input: { headers, params: { grant_id: grantId } }, output: undefined },
  issueMachineToken: {
    input: { body: { grant_type: 'client_credentials', ...machine } },
    output: { access_token: machineToken, token_type: 'Bearer', expires_in: 900 },
  },
  revokeMachineToken: { input: { body: { token: machineToken, ...machine } }, output: {} },
  getMachineMetadata: {
    input: {},
    output: {
      issuer: 'http://localhost:4010/v1',
      token_endpoint: 'http://localhost:4010/v1/oauth2/token',
      revocation_endpoint: 'http://localhost:4010/v1/oauth2/revoke',
      service_documentation: 'http://localhost:4010/docs',
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    },
  },
  deleteOAuthToken: { input: { params: { token_id: tokenId } }, output: undefined },
}
