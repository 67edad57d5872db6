const clientId = '7a3c52a910e1dc2abbb14da2b6b8e711'
const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const html = '<!doctype html>…'
const csrf = 'R1lW4m0S3q8n2b7cXv5tYzK9pLdJ6fHgA0sQeWuIoPk'

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
const request = Object.entries(asked)
  .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  .join('&')

export const pageExamples = {
  showAuthorizePage: { input: { query: asked }, output: html },
  answerAuthorizePage: {
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
  getBrowserSession: {
    input: {},
    output: {
      person_id: 'b0a7c4de-1f23-4a56-9b78-0c1d2e3f4a5b',
      name: 'owner',
      operator: true,
      operator_until: '2026-11-02T15:04:05.101Z',
      form_token: csrf,
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
} as const
