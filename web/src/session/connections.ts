import { type Client, createClient, createQuipu, createStreams, type Quipu, type Streams } from '@quipu/sdk'
import { forgetToken, type Scope, serverUrl, tokenOf } from './session.ts'
import { whileVisible } from './visible.ts'

/** The API with the rights of a scope. */
export type Connection = {
  /** Identifies the scope. */
  readonly name: string
  /** The account of the scope; absent for operators. */
  readonly account?: { readonly world: string; readonly accountId: string }
  readonly quipu: Quipu
  readonly client: Client
  /** Drops the token, so that the next request gets a new one. */
  readonly renew: () => void
  /** Server-sent event streams. They are closed while the page is hidden, and resume after the last message. */
  readonly events: Streams
}

const connections = new Map<string, Connection>()

/** An advance, a fork, an audit or a backup of a large world takes minutes on a slow machine, and has not failed then. */
const ACTION_MS = 600_000
const isActing = (scope: Scope): boolean => scope.kind === 'operator' && !scope.readOnly

/** One connection per scope; its token is renewed by itself. */
export function connect(scope: Scope): Connection {
  const key = JSON.stringify(scope)
  const known = connections.get(key)
  if (known !== undefined) return known
  const options = {
    url: serverUrl,
    accessToken: () => tokenOf(scope),
    fetch: fetchAs(scope),
    ...(isActing(scope) && { timeoutMs: ACTION_MS }),
  }
  const quipu = createQuipu(options)
  const made = {
    name: key,
    ...(scope.kind === 'account' && { account: scope }),
    quipu,
    client: createClient(options),
    events: createStreams({ ...options, fetch: whileVisible(options.fetch) }),
    renew: () => void forgetToken(scope),
  }
  connections.set(key, made)
  return made
}

/** The operations of an operator that only read. */
export const operator = (): Connection => connect({ kind: 'operator', readOnly: true })
/** The operations of an operator that change something. */
export const actingOperator = (): Connection => connect({ kind: 'operator', readOnly: false })

/**
 * A server that was restarted does not know the tokens that it issued before. It refuses them without doing anything, so
 * the request is sent again with a new token, once.
 */
const fetchAs =
  (scope: Scope): typeof fetch =>
  async (url, options) => {
    const response = await fetch(url, options)
    if (response.status !== 401) return response
    forgetToken(scope)
    const authorization = `Bearer ${await tokenOf(scope)}`
    return fetch(url, { ...options, headers: { ...(options?.headers as object), authorization } })
  }
