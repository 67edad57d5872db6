import type { ExamplesOf } from './example.ts'
import { accountId, at, partnerId } from './values.table.ts'

const oauthRequest = {
  client_id: '7a3c52a910e1dc2abbb14da2b6b8e711',
  client_secret: 'the-secret-of-the-app',
  redirect_uri: 'http://localhost:3000/callback',
  scope: 'trading data',
  account_id: accountId,
}

const tokenId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000013'

const clientId = '7a3c52a910e1dc2abbb14da2b6b8e711'

const settings = {
  client_id: clientId,
  name: 'TradingApp',
  description: 'Trade from charts',
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

const headers = {}

const ofClient = { headers, params: { client_id: clientId } } as const

const secretId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000011'

const secret = { secret_id: secretId, created_at: at, expires_at: null } as const

const grantId = '2f6d1c0b-9a8e-4d7c-b6a5-000000000012'

const machine = {
  client_id: 'CK0123456789ABCDEFGH',
  client_secret: 'Zx8Qw2Lm4Np6Rt9Yb1Vc3Xd5Fg7Hj0KsAaBbCcDd',
} as const

const machineToken = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

const methods = ['client_secret_post', 'private_key_jwt']

const algorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519']

const oauthClient = {
  client_id: oauthRequest.client_id,
  client_secret: oauthRequest.client_secret,
}

const html = '<!doctype html>…'

const asked = {
  response_type: 'code',
  client_id: clientId,
  redirect_uri: 'https://app.example/callback',
  scope: 'trading',
  state: 'xyz',
  env: 'paper',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}

const csrf = 'R1lW4m0S3q8n2b7cXv5tYzK9pLdJ6fHgA0sQeWuIoPk'

const request = Object.entries(asked)
  .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  .join('&')

export const oauthExamples: ExamplesOf<'oauth'> = {
  getOAuthClient: {
    input: { params: { client_id: oauthRequest.client_id }, query: { response_type: 'code' } },
    output: {
      client_id: oauthRequest.client_id,
      name: 'TradingApp',
      description: 'Trade from charts',
      url: 'https://app.example',
      terms_of_use: '',
      privacy_policy: '',
      status: 'ACTIVE',
      redirect_uri: [oauthRequest.redirect_uri],
      live_trading_approved: true,
    },
  },
  authorizeOAuthToken: {
    input: { body: oauthRequest },
    output: {
      code: '67f74f5a-a2cc-4ebd-88b4-22453fe07994',
      client_id: oauthRequest.client_id,
      redirect_uri: oauthRequest.redirect_uri,
      scope: oauthRequest.scope,
    },
  },
  issueOAuthToken: {
    input: { body: oauthRequest },
    output: {
      access_token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1',
      token_type: 'Bearer',
      scope: oauthRequest.scope,
    },
  },
  deleteOAuthToken: { input: { params: { token_id: tokenId } }, output: undefined },
  listOAuthClients: { input: { headers, query: { limit: 100 } }, output: [settings] },
  createOAuthClient: {
    input: {
      headers,
      body: {
        name: 'TradingApp',
        description: 'Trade from charts',
        url: 'https://app.example',
        redirect_uri: ['https://app.example/callback'],
        token_expires_in: 3600,
      },
    },
    output: { ...settings, client_secret: '9bf1f2d46a35bb0c67a27f17b0b5b8fd7ba14e01' },
  },
  getOAuthClientSettings: { input: ofClient, output: settings },
  updateOAuthClient: {
    input: { ...ofClient, body: { description: 'Charts and orders', token_expires_in: null } },
    output: { ...settings, description: 'Charts and orders', token_expires_in: null },
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
  exchangeOAuthCode: {
    input: {
      body: {
        grant_type: 'authorization_code',
        code: '67f74f5a-a2cc-4ebd-88b4-22453fe07994',
        client_id: oauthRequest.client_id,
        client_secret: oauthRequest.client_secret,
        redirect_uri: oauthRequest.redirect_uri,
      },
    },
    output: {
      access_token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1',
      token_type: 'bearer',
      scope: oauthRequest.scope,
    },
  },
  revokeOAuthToken: {
    input: { body: { token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1', ...oauthClient } },
    output: {},
  },
  introspectOAuthToken: {
    input: { body: { token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1', ...oauthClient } },
    output: {
      active: true,
      scope: oauthRequest.scope,
      client_id: oauthRequest.client_id,
      token_type: 'bearer',
      iat: 1793631600,
      sub: accountId,
      iss: 'http://localhost:4010',
      accounts: [{ id: accountId, env: 'paper' }],
    },
  },
  getOAuthMetadata: {
    input: {},
    output: {
      issuer: 'http://localhost:4010',
      authorization_endpoint: 'http://localhost:4010/oauth/authorize',
      token_endpoint: 'http://localhost:4010/oauth/token',
      revocation_endpoint: 'http://localhost:4010/oauth/revoke',
      introspection_endpoint: 'http://localhost:4010/oauth/introspect',
      service_documentation: 'http://localhost:4010/docs',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      scopes_supported: ['account:write', 'trading', 'data', 'tokenization', 'general'],
      authorization_response_iss_parameter_supported: true,
    },
  },
  showAuthorizePage: { input: { query: asked }, output: html },
  submitAuthorizePage: {
    input: { body: { csrf, request, answer: 'allow', paper: accountId } },
    output: html,
  },
  showSignInPage: { input: { query: { request } }, output: html },
  signIn: { input: { body: { csrf, name: 'owner', password: 'a password' } }, output: html },
  signOut: { input: { body: { csrf } }, output: html },
  showAppsPage: { input: { query: {} }, output: html },
  withdrawApp: { input: { body: { csrf, client_id: clientId } }, output: html },
  showOperatorPage: { input: {}, output: html },
  changeOperatorRights: { input: { body: { csrf, answer: 'raise', password: 'a password' } }, output: html },
  showSecondFactorPage: { input: { query: {} }, output: html },
  confirmSecondFactor: { input: { body: { csrf, passcode: '123456' } }, output: html },
  showFactorsPage: { input: { query: {} }, output: html },
  changeFactors: { input: { body: { csrf, answer: 'new-app' } }, output: html },
  getBrowserSession: {
    input: {},
    output: {
      user_id: 'b0a7c4de-1f23-4a56-9b78-0c1d2e3f4a5b',
      name: 'owner',
      operator: true,
      auditor: false,
      operator_until: '2026-11-02T15:04:05.101Z',
      form_token: csrf,
      api_url: 'http://127.0.0.1:7878',
      world: 'main',
      expires_at: '2026-11-02T15:10:15.101Z',
      accounts: [{ id: accountId, account_number: '846293145', flavour: 'paper' }],
    },
  },
  issueSessionToken: {
    input: { body: { form_token: csrf, account_id: accountId } },
    output: {
      access_token: 'mF9xqB3t5v8yB2D4G6J8LaNcReTgUiWkYmZoQrSsTuV',
      token_type: 'Bearer',
      expires_in: 300,
    },
  },
}
