import type { InputOf, OAuthGrantRecord } from '@quipu/contract'
import {
  clientIdOf,
  formatInstant,
  found,
  type Grant,
  grantConcerns,
  type Instant,
  isInForce,
  type View,
} from '@quipu/core'
import { type PartnerAccess, withAccess } from '../broker/partner-access.ts'
import { pageOf } from './clients.ts'

/** Grants of apps, for the partner of the account and the owner of the app. */
export const oauthGrantHandlers = withAccess({
  listOAuthGrants: ({ access, query }, context) =>
    context.state.read(access.world, (view) =>
      pageOf(grantsIn(view, access, query), query, ({ id }) => id).map((grant) => grantToWire(view, grant)),
    ),

  deleteOAuthGrant: async ({ access: { world, partnerId, limitedTo }, params }, context) => {
    const grantId = params.grant_id
    const grant = world.view.grants.get(grantId)
    // An operator revokes in the name of the app's owner.
    const owner = limitedTo === undefined && grant ? world.view.apps.get(grant.appId)?.owner : undefined
    const command = { kind: 'revokeGrant', partnerId: owner ?? partnerId, grantId } as const
    await context.state.execute(world, command)
  },
})

/** Newest first. */
function grantsIn(
  view: View,
  { limitedTo, world }: PartnerAccess,
  { account_id: accountId, client_id: clientId }: InputOf<'listOAuthGrants'>['query'],
): readonly Grant[] {
  const appId = clientId === undefined ? undefined : view.clientIds.get(clientIdOf(clientId))
  return [...view.grants.values()]
    .reverse()
    .filter(
      (grant) =>
        isInForce(grant, world.engine.now) &&
        (limitedTo === undefined || grantConcerns(view, grant, limitedTo)) &&
        (clientId === undefined || grant.appId === appId) &&
        (accountId === undefined || grant.live === accountId || grant.paper === accountId),
    )
}

function grantToWire(view: View, grant: Grant): OAuthGrantRecord {
  const { clientId, name } = found(view.apps.get(grant.appId), grant.appId)
  return {
    grant_id: grant.id,
    client_id: clientId,
    name,
    user_id: grant.userId ?? null,
    live_account_id: grant.live ?? null,
    paper_account_id: grant.paper ?? null,
    scope: grant.scopeText,
    created_at: formatInstant(grant.createdAt),
    last_used_at: timeOrNull(grant.lastUsedAt),
    tokens: grant.tokens
      .map((id) => found(view.tokens.get(id), id))
      .filter(({ refresh }) => refresh === undefined || refresh === 'fresh')
      .map(({ id, createdAt, expiresAt, refresh }) => ({
        token_id: id,
        kind: refresh ? 'refresh' : 'access',
        created_at: formatInstant(createdAt),
        expires_at: timeOrNull(expiresAt),
      })),
  }
}

const timeOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : formatInstant(at))
