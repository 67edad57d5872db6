import type { Handler, OutputOf } from '@quipu/contract'
import {
  type Bearer,
  type Digest,
  type Instant,
  type Introspector,
  introspectingApp,
  scopeTextOf,
  validToken,
} from '@quipu/core'
import type { PartnerCaller } from '../../access/caller.ts'
import { digestOf } from '../../access/credentials.ts'
import type { World } from '../../world/world.ts'
import { attempt, attemptWithKey } from '../attempt.ts'
import { callerOf, isBearer, namedKey, TOKEN_CHALLENGE } from '../auth.ts'
import type { Context } from '../context.ts'
import { publicUrlOf } from '../host.ts'
import { type Client, clientOf, clientRefused, keepNowhere, needed, worldFor } from './client.ts'

/** An app gives a token up. One nobody knows, or of another app, is as good as given up. */
export const revokeOAuthToken: Handler<'revokeOAuthToken', Context> = async ({ body }, context) => {
  keepNowhere(context)
  const { token, brought } = tokenIn(body.token, context)
  const client = clientOf(body, context)
  const world = worldFor(context, client, brought)
  const decision = await context.resultOf(
    world,
    world.submit({ kind: 'revokeOwnToken', ...client.ask, token }, (_, decided) => decided),
  )
  if (!decision.ok) throw clientRefused(context, client.tried)
  client.tried.right()
  return {}
}

/** The token that was sent, by its digest, and the world that gave it. */
function tokenIn(
  sent: string | undefined,
  { services }: Context,
): { readonly token: Digest; readonly brought: World | undefined } {
  const text = needed('token', sent)
  const token = digestOf(text)
  return { token, brought: services.worlds.credentials.worldOfToken(text, token) }
}

type State = OutputOf<'introspectOAuthToken'>
const INACTIVE: State = { active: false }

/** What a token is good for. Whoever may not know is told what is told of one that is good for nothing. */
export const introspectOAuthToken: Handler<'introspectOAuthToken', Context> = async ({ body }, context) => {
  keepNowhere(context)
  const partner = partnerOf(context)
  const { token, brought } = tokenIn(body.token, context)
  if (partner) return byPartner(partner, brought, token, context)
  const client = clientOf(body, context)
  const world = worldFor(context, client, brought)
  return byApp(world, client, token, context)
}

async function byApp(world: World, { ask, tried }: Client, token: Digest, context: Context): Promise<State> {
  const issuer = publicUrlOf(context.services)
  const state = await context.resultOf(
    world,
    world.read((view) => {
      const at = world.now
      const app = introspectingApp(view, at, ask)
      if (!app.ok) return undefined
      return stateOf(validToken(view, at, token, { kind: 'app', app: app.value }), issuer)
    }),
  )
  if (!state) throw clientRefused(context, tried)
  tried.right()
  return state
}

async function byPartner(
  { world: own, partnerId, operator }: PartnerCaller,
  world: World | undefined,
  token: Digest,
  context: Context,
): Promise<State> {
  const asker: Introspector = operator ? { kind: 'operator' } : { kind: 'partner', partnerId }
  if (!world || (world !== own && !operator)) return INACTIVE
  const issuer = publicUrlOf(context.services)
  return context.resultOf(
    world,
    world.read((view) => stateOf(validToken(view, world.now, token, asker), issuer)),
  )
}

/** The partner whose key the headers name; nobody where they name an app, or nothing. */
function partnerOf(context: Context): PartnerCaller | undefined {
  const { request, services, flavour } = context
  const { headers } = request
  const keyId = namedKey(headers)
  if (!isBearer(headers) && (keyId === undefined || !isKey(headers, keyId, context))) return undefined
  const tried = keyId === undefined ? attempt(context) : attemptWithKey(context, keyId)
  const caller = callerOf(headers, services.credentials, flavour)
  if (caller?.kind !== 'partner')
    throw clientRefused(context, tried, isBearer(headers) ? TOKEN_CHALLENGE : undefined)
  tried.right()
  return caller
}

/** In its own headers a key is meant, known or not; by Basic it may be an app. */
const isKey = (headers: Context['request']['headers'], keyId: string, { services }: Context): boolean =>
  headers['apca-api-key-id'] !== undefined || services.credentials.knows(keyId)

function stateOf(bearer: Bearer | undefined, issuer: string): State {
  if (!bearer) return INACTIVE
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
    iss: issuer,
    accounts: accountsOf(bearer),
  }
}

function accountsOf({ live, paper }: Bearer): NonNullable<State['accounts']> {
  const ofLive = live === undefined ? [] : [{ id: live, env: 'live' } as const]
  return paper === undefined ? ofLive : [...ofLive, { id: paper, env: 'paper' }]
}

const secondsOf = (at: Instant): number => Number(at / 1_000_000_000n)
