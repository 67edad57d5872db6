import type { CallOptions, Client, Output } from './contract.ts'

/** The request that a user confirms in the browser. */
export type AuthorizeRequest = {
  readonly clientId: string
  readonly redirectUri: string
  /** For example `['trading', 'data']`. */
  readonly scopes: readonly string[]
  /** Random text that comes back with the code; compare it. */
  readonly state: string
  /** The environments that the user may choose. Default: both. */
  readonly env?: 'paper' | 'live' | undefined
  readonly codeChallenge?: string | undefined
}

type AppCredential = { readonly clientId: string; readonly clientSecret?: string | undefined }
type Tokens = Output<'exchangeOAuthCode'>

/** OAuth for apps: authorization code with PKCE, refresh and revocation. */
export type OAuth = {
  /** The URL of the consent page. */
  readonly authorizeUrl: (request: AuthorizeRequest) => string
  /** Exchanges the code of the redirect for a token. */
  readonly exchangeCode: (
    request: AppCredential & {
      readonly code: string
      readonly redirectUri: string
      readonly codeVerifier?: string | undefined
    },
    options?: CallOptions,
  ) => Promise<Tokens>
  readonly refresh: (
    request: AppCredential & { readonly refreshToken: string },
    options?: CallOptions,
  ) => Promise<Tokens>
  readonly revoke: (
    request: AppCredential & { readonly token: string },
    options?: CallOptions,
  ) => Promise<Output<'revokeOAuthToken'>>
}

export function createOAuth(client: Client, url: string): OAuth {
  const credential = ({ clientId, clientSecret }: AppCredential) => ({
    client_id: clientId,
    client_secret: clientSecret,
  })
  return {
    authorizeUrl({ clientId, redirectUri, scopes, state, env, codeChallenge }) {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
      })
      query.set('scope', scopes.join(' '))
      query.set('state', state)
      if (env !== undefined) query.set('env', env)
      if (codeChallenge !== undefined) {
        query.set('code_challenge', codeChallenge)
        query.set('code_challenge_method', 'S256')
      }
      return `${url}/oauth/authorize?${query}`
    },
    exchangeCode: ({ code, redirectUri, codeVerifier, ...app }, options) =>
      client.exchangeOAuthCode(
        {
          body: {
            grant_type: 'authorization_code',
            code,
            redirect_uri: redirectUri,
            code_verifier: codeVerifier,
            ...credential(app),
          },
        },
        options,
      ),
    refresh: ({ refreshToken, ...app }, options) =>
      client.exchangeOAuthCode(
        { body: { grant_type: 'refresh_token', refresh_token: refreshToken, ...credential(app) } },
        options,
      ),
    revoke: ({ token, ...app }, options) =>
      client.revokeOAuthToken({ body: { token, ...credential(app) } }, options),
  }
}

/** A new code verifier and its challenge (RFC 7636, S256). */
export async function createPkce(): Promise<{ readonly verifier: string; readonly challenge: string }> {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64Url(new Uint8Array(digest)) }
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
