import { isRefusedIssuer, type PartnerCaller, readsAllWorlds } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handler, OutputOf } from '@quipu/contract'
import {
  type Bearer,
  type Digest,
  type Instant,
  type Introspector,
  introspectingApp,
  missing,
  scopeTextOf,
  validToken,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { attempt, attemptWithKey } from '../attempt.ts'
import { isBearer, namedKey, requestCaller, TOKEN_CHALLENGE } from '../auth.ts'
import { flavourOf, publicUrlOf } from '../connection/host.ts'
import type { Context } from '../context.ts'
import { forwardedOf } from '../forwarding/peer.ts'
import { callerFromPeer } from '../forwarding/peer-caller.ts'
import { tokenElsewhere } from '../forwarding/remote-worlds.ts'
import {
  type AuthenticatedClient,
  clientOf,
  clientRefused,
  preventCaching,
  requireField,
  worldOfClient,
} from './client.ts'

/** Revokes a token of an app. An unknown token, or one of another app, gets the same response. */
export const revokeOAuthToken: Handler<'revokeOAuthToken', Context> = async ({ body }, context) => {
  preventCaching(context)
  const { token, issuingWorld } = tokenIn(body.token, context)
  const client = clientOf(body, context)
  const world = worldOfClient(context, client, issuingWorld)
  const decision = await context.state.submit(world, { kind: 'revokeAppToken', ...client.credentials, token })
  if (!decision.ok) throw clientRefused(context, client.tried)
  client.tried.right()
  return {}
}

/** The digest of the token and the world that issued it. */
function tokenIn(
  sent: string | undefined,
  { services }: Context,
): { readonly token: Digest; readonly issuingWorld: World | undefined } {
  const text = requireField('token', sent)
  const token = digestOf(text)
  return { token, issuingWorld: services.worlds.access.credentials.worlds.ofToken(token) }
}

type State = OutputOf<'introspectOAuthToken'>
const INACTIVE: State = { active: false }

/** The state of a token. A caller without the right to see it gets the response for an inactive token. */
export const introspectOAuthToken: Handler<'introspectOAuthToken', Context> = async ({ body }, context) => {
  preventCaching(context)
  const partner = partnerOf(context)
  const { token, issuingWorld } = tokenIn(body.token, context)
  if (partner) {
    const isElsewhere = !issuingWorld && readsAllWorlds(partner)
    const found = isElsewhere
      ? await tokenElsewhere(context, partner, body.token ?? missing('token'))
      : undefined
    return found ?? byPartner(partner, issuingWorld, token, context)
  }
  const client = clientOf(body, context)
  const world = worldOfClient(context, client, issuingWorld)
  return byApp(world, client, token, context)
}

async function byApp(
  world: World,
  { credentials, tried }: AuthenticatedClient,
  token: Digest,
  context: Context,
): Promise<State> {
  const found = await context.state.read(world, (view) => {
    const at = world.engine.now
    const app = introspectingApp(view, at, credentials)
    return app.ok ? { bearer: validToken(view, at, token, { kind: 'app', app: app.value }) } : undefined
  })
  if (!found) throw clientRefused(context, tried)
  tried.right()
  return stateOf(context, world, found.bearer)
}

async function byPartner(
  caller: PartnerCaller,
  world: World | undefined,
  token: Digest,
  context: Context,
): Promise<State> {
  const { world: own, partnerId } = caller
  const isWide = readsAllWorlds(caller)
  const introspector: Introspector = isWide ? { kind: 'operator' } : { kind: 'partner', partnerId }
  if (!world || (world !== own && !isWide)) return INACTIVE
  const bearer = await context.state.read(world, (view) =>
    validToken(view, world.engine.now, token, introspector),
  )
  return stateOf(context, world, bearer)
}

/** The partner of the key in the headers; undefined if the headers name an app or nothing. */
function partnerOf(context: Context): PartnerCaller | undefined {
  const { request, services } = context
  const { headers } = request
  const forwarded = forwardedOf(request)
  const fromPeer = forwarded && callerFromPeer(services, forwarded)
  if (fromPeer?.kind === 'partner') return fromPeer
  const keyId = namedKey(headers)
  if (!isBearer(headers) && (keyId === undefined || !isKey(headers, keyId, context))) return undefined
  const tried = keyId === undefined ? attempt(context) : attemptWithKey(context, keyId)
  const caller = requestCaller(headers, services.security.credentials, flavourOf(headers.host))
  if (caller?.kind !== 'partner')
    throw clientRefused(context, tried, isBearer(headers) ? TOKEN_CHALLENGE : undefined)
  tried.right()
  if (isRefusedIssuer(caller)) throw refuse({ code: 'issuerCallbacksOnly' })
  return caller
}

/** The key headers always name a key; Basic may name a key or an app. */
const isKey = (headers: Context['request']['headers'], keyId: string, { services }: Context): boolean =>
  headers['apca-api-key-id'] !== undefined ||
  services.worlds.access.credentials.worlds.ofKey(keyId) !== undefined

async function stateOf({ services }: Context, world: World, bearer: Bearer | undefined): Promise<State> {
  if (!bearer) return INACTIVE
  const { people } = services.worlds.access.credentials
  await people.prepareGrant(world.view, bearer.grant)
  if (!people.allows(world.view, bearer.grant)) return INACTIVE
  const { app, token, live, paper } = bearer
  const { expiresAt } = token
  return {
    active: true,
    scope: scopeTextOf(bearer),
    client_id: app.clientId,
    token_type: token.refresh ? undefined : 'bearer',
    exp: expiresAt === undefined ? undefined : secondsOf(expiresAt),
    iat: secondsOf(token.createdAt),
    sub: paper ?? live,
    iss: publicUrlOf(services),
    accounts: accountsOf(bearer),
  }
}

function accountsOf({ live, paper }: Bearer): NonNullable<State['accounts']> {
  const liveAccount = live === undefined ? [] : [{ id: live, env: 'live' } as const]
  return paper === undefined ? liveAccount : [...liveAccount, { id: paper, env: 'paper' }]
}

const secondsOf = (at: Instant): number => Number(at / 1_000_000_000n)
